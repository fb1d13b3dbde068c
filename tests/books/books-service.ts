/**
 * Two gateways on one log in memory, with its views, the operations of an operator and a clock that
 * a test sets: what a history is played on.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { rootCaller } from '@svc/contracts/admin/caller'
import type { Operations } from '@svc/contracts/admin/operations'
import { type IdKind, makeId } from '@svc/contracts/ids'
import type { Clock } from '@svc/contracts/ports/time'
import { COPY_START, copyLog } from '@svc/infra/event-store/copy-log'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { MemorySnapshotStore } from '@svc/infra/snapshot-store/memory/memory-snapshot-store'
import { durableFile } from '@svc/infra/sqlite/durable-file'
import { SharedPace } from '@svc/infra/system/shared-pace'
import { steadyClock } from '@svc/infra/system/steady-clock'
import { systemTimer } from '@svc/infra/system/system-timer'
import { MemoryTextStore } from '@svc/infra/text-store/memory/memory-text-store'
import { createLedger } from '@svc/ledger/create-ledger'
import type { Ledger } from '@svc/ledger/ledger'
import { createLocalOperations } from '@svc/operator/operations/local-operations'
import { openProjections, type Projections } from '@svc/projections/open-projections'
import { adminTokensOn, auditTrailOn, usersOn } from '@svc/testing/admin-access'
import { evidenceOn } from '@svc/testing/evidence-sources'
import { refusedRequestsIn } from '@svc/testing/refused-requests'

/** Two hours before a month ends. */
const FIRST_MS = Date.UTC(2027, 0, 31, 22, 0, 0)

/** A clock that only a test moves. */
class SetClock implements Clock {
  #now = FIRST_MS

  nowMs(): number {
    return this.#now
  }

  move(byMs: number): void {
    this.#now += byMs
  }
}

export interface Gateway {
  readonly ledger: Ledger
  readonly operations: Operations
}

export class BooksService {
  readonly clock = new SetClock()
  readonly store: MemoryEventStore
  readonly projections: Projections
  gateways: readonly Gateway[] = []
  readonly #texts = new MemoryTextStore()
  readonly #snapshots = [new MemorySnapshotStore(), new MemorySnapshotStore()] as const
  readonly #pace = new SharedPace()
  readonly #people: ReturnType<typeof usersOn>
  readonly #refused: ReturnType<typeof refusedRequestsIn>
  readonly #dataDir: string

  private constructor(dataDir: string, store: MemoryEventStore, projections: Projections) {
    this.#dataDir = dataDir
    this.store = store
    this.projections = projections
    this.#people = usersOn(store, dataDir)
    this.#refused = refusedRequestsIn(dataDir)
  }

  static async open(dataDir: string): Promise<BooksService> {
    const store = new MemoryEventStore()
    const log = { info() {}, warn() {}, error() {} }
    const folder = join(dataDir, 'views')
    const following = { timer: systemTimer, keepFile: durableFile, log }
    const projections = await openProjections({ folder, store, ...following })
    projections.start()
    const service = new BooksService(dataDir, store, projections)
    await service.restart('with snapshots')
    return service
  }

  async #openGateway(index: 0 | 1): Promise<Gateway> {
    const { clock, store, projections } = this
    const ledger = await createLedger({
      store,
      snapshots: this.#snapshots[index],
      texts: this.#texts,
      ...this.#surroundings(),
      limits: {
        // Who would have to wait is refused at once: nothing ends while it waits.
        waitersPerAccount: 0,
        snapshotEveryEvents: 9,
        sharedSnapshotEveryEvents: 5,
        // A page ends in the middle of most histories.
        replayPageEvents: 7,
      },
    })
    const operations = createLocalOperations(
      {
        ledger,
        projections,
        store,
        texts: this.#texts,
        pace: this.#pace,
        clock,
        evidence: evidenceOn(store, projections.views, projections.reached),
        ...this.#people,
        adminTokens: adminTokensOn(store, clock, this.#texts),
        auditTrail: auditTrailOn(store, clock, this.#texts),
        refusedRequests: this.#refused,
        information: {
          version: 'test',
          mode: 'running',
          baseUrl: null,
          dataDir: this.#dataDir,
          storeKind: 'memory',
        },
      },
      rootCaller,
    )
    return { ledger, operations }
  }

  async restart(how: 'with snapshots' | 'from the log alone'): Promise<void> {
    for (const { ledger } of this.gateways) await ledger.close()
    if (how === 'from the log alone') for (const snapshots of this.#snapshots) snapshots.clear()
    this.gateways = [await this.#openGateway(0), await this.#openGateway(1)]
  }

  /** A ledger on a copy of the log, as a move of the ledger makes it, and on nothing else. */
  async moved(): Promise<Ledger> {
    const target = new MemoryEventStore()
    const copy = copyLog({
      source: this.store,
      target,
      from: COPY_START,
      appendsAtOnce: 1,
      timer: systemTimer,
    })
    for await (const _ of copy) {
      // The next page goes on.
    }
    return createLedger({
      store: target,
      snapshots: new MemorySnapshotStore(),
      texts: new MemoryTextStore(),
      ...this.#surroundings(),
    })
  }

  #surroundings() {
    const { clock } = this
    const idOf = (kind: IdKind) => makeId(kind, clock.nowMs(), randomBytes(10))
    return {
      clock,
      steadyClock,
      timer: systemTimer,
      randomBytes,
      ids: { next: idOf },
      gatewayId: idOf('gw'),
    }
  }

  async close(): Promise<void> {
    for (const { ledger } of this.gateways) await ledger.close()
    this.#refused.close()
    await this.#people.userRecords.close()
    await this.projections.close()
    await this.store.close()
  }
}
