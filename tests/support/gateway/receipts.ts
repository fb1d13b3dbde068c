/**
 * The receipts of a store's requests, from the real views. Few tests ask for one, so the views are
 * opened when the first is asked for; an answer has all that is in the store.
 */
import type { EventStore } from '@svc/contracts/ports/event-store'
import { systemTimer } from '@svc/infra/system/system-timer'
import { openProjections, type Projections } from '@svc/projections/open-projections'
import type { RequestRow, Views } from '@svc/projections/views'
import { pino } from 'pino'
import { makeTemporaryFolder } from '../temporary-folder.ts'

const CAUGHT_UP_MS = 10_000

export class Receipts implements Pick<Views, 'request'>, AsyncDisposable {
  readonly #store: EventStore
  readonly #folder = makeTemporaryFolder()
  #projections: Promise<Projections> | undefined

  constructor(store: EventStore) {
    this.#store = store
  }

  async request(requestId: string): Promise<RequestRow | undefined> {
    this.#projections ??= this.#open()
    const { views, reached } = await this.#projections
    const isThere = await reached(await this.#store.lastPosition(), CAUGHT_UP_MS, 'requests')
    if (!isThere) throw new Error('the view of the receipts does not catch up')
    return views.request(requestId)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#projections)?.close()
    this.#folder.remove()
  }

  async #open(): Promise<Projections> {
    const { path: folder } = this.#folder
    const log = pino({ level: 'silent' })
    const ports = { store: this.#store, timer: systemTimer, log }
    const projections = await openProjections({ folder, ...ports })
    projections.start()
    return projections
  }
}
