/**
 * The real views of a gateway's store. Few tests ask for one, so they are opened when the first is
 * asked for; an answer has all that is in the store.
 */
import type { EventStore } from '@svc/contracts/ports/event-store'
import { durableFile } from '@svc/infra/sqlite/durable-file'
import { systemTimer } from '@svc/infra/system/system-timer'
import { openProjections, type Projections } from '@svc/projections/open-projections'
import type { RequestRow } from '@svc/projections/views'
import { pino } from 'pino'
import { makeTemporaryFolder } from '../temporary-folder.ts'

const CAUGHT_UP_MS = 10_000

export class GatewayViews implements AsyncDisposable {
  readonly #store: EventStore
  readonly #folder = makeTemporaryFolder()
  #projections: Promise<Projections> | undefined
  #opened: Projections | undefined

  constructor(store: EventStore) {
    this.#store = store
  }

  /** For the gateway: what is asked without waiting is asked after {@link reached}. */
  readonly views = {
    request: async (requestId: string): Promise<RequestRow | undefined> => {
      await this.reached()
      return this.#views.request(requestId)
    },
    // What is under way is looked for all the time, also where no test has asked for a view.
    account: (accountId: string) => this.#opened?.views.account(accountId),
    requestIds: (...query: Parameters<Projections['views']['requestIds']>) =>
      this.#views.requestIds(...query),
    requestTotals: (...query: Parameters<Projections['views']['requestTotals']>) =>
      this.#views.requestTotals(...query),
    statement: (...query: Parameters<Projections['views']['statement']>) =>
      this.#views.statement(...query),
    usage: (...query: Parameters<Projections['views']['usage']>) => this.#views.usage(...query),
    nextUse: (...query: Parameters<Projections['views']['nextUse']>) =>
      this.#views.nextUse(...query),
    seriesCount: (accountId: string) => this.#views.seriesCount(accountId),
    keys: (accountId: string) => this.#views.keys(accountId),
    key: (keyId: string) => this.#views.key(keyId),
    eventOf: (id: string) => this.#views.eventOf(id),
  }

  /** For evidence: what is asked without waiting is asked after {@link reached}. */
  readonly evidence = {
    request: (requestId: string) => this.#views.request(requestId),
    treeSize: () => this.#views.treeSize(),
    treeRoot: (size: number) => this.#views.treeRoot(size),
    leafOf: (...event: Parameters<Projections['views']['leafOf']>) => this.#views.leafOf(...event),
    inclusionProof: (leaf: number, size: number) => this.#views.inclusionProof(leaf, size),
    consistencyProof: (first: number, second: number) =>
      this.#views.consistencyProof(first, second),
  }

  /** Waits until every view has all that is in the store. */
  readonly reached = async (): Promise<boolean> => {
    this.#projections ??= this.#open()
    this.#opened = await this.#projections
    const isThere = await this.#opened.reached(await this.#store.lastPosition(), CAUGHT_UP_MS)
    if (!isThere) throw new Error('the views do not catch up')
    return true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#projections)?.close()
    this.#folder.remove()
  }

  get #views(): Projections['views'] {
    if (this.#opened === undefined) throw new Error('the views were not waited for')
    return this.#opened.views
  }

  async #open(): Promise<Projections> {
    const { path: folder } = this.#folder
    const log = pino({ level: 'silent' })
    const ports = { store: this.#store, timer: systemTimer, log }
    const projections = await openProjections({ folder, ...ports, keepFile: durableFile })
    projections.start()
    return projections
  }
}
