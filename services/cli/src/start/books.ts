/**
 * The books of one data folder: the log of events, the ledger that writes it and the views that
 * follow it. A server has them open while it runs; the CLI opens them when no server does.
 */
import { randomBytes } from 'node:crypto'
import type { ReachCrashPoint } from '@svc/contracts/crash-points'
import type { EventStore } from '@svc/contracts/event-store'
import { openSqliteEventStore } from '@svc/infra/event-store/sqlite/sqlite-event-store'
import { openSqliteSnapshotStore } from '@svc/infra/snapshot-store/sqlite/sqlite-snapshot-store'
import { systemClock } from '@svc/infra/system/system-clock'
import { SystemIds } from '@svc/infra/system/system-ids'
import { systemTimer } from '@svc/infra/system/system-timer'
import { createLedger } from '@svc/ledger/create-ledger'
import type { Ledger } from '@svc/ledger/ledger'
import { openProjections, type Projections } from '@svc/projections/open-projections'
import type { Logger } from 'pino'
import type { DataFolder } from './data-folder.ts'
import { OpenParts } from './open-parts.ts'

export interface BooksOptions {
  readonly folder: DataFolder
  readonly reach: ReachCrashPoint
  readonly logger: Logger
  /** Called once when the disk has failed: the process must end. */
  readonly onFatal: (error: unknown) => void
}

export interface Books {
  /** Names this process in the events that it writes. */
  readonly gatewayId: string
  readonly store: EventStore
  readonly ledger: Ledger
  readonly projections: Projections
  /**
   * In the opposite order of dependence.
   *
   * @returns whether everything was closed whole; what was not is in the log
   */
  close(): Promise<boolean>
}

/** @throws {StoreOpenError} when the log cannot be used, with nothing written */
export async function openBooks({ folder, reach, logger, onFatal }: BooksOptions): Promise<Books> {
  const parts = new OpenParts(logger)
  try {
    const store = openSqliteEventStore(folder.ledgerFile, { onFatal, reachCrashPoint: reach })
    parts.add(() => store.close())
    const snapshots = openSqliteSnapshotStore(folder.snapshotsFile, reach)
    parts.add(() => snapshots.close())
    const projections = await openProjections({
      folder: folder.viewsFolder,
      store,
      reach,
      log: logger,
    })
    parts.add(() => projections.close())
    const ids = new SystemIds(systemClock)
    const gatewayId = ids.next('gw')
    const ledger = await createLedger({
      store,
      snapshots,
      clock: systemClock,
      timer: systemTimer,
      ids,
      randomBytes,
      gatewayId,
      reach,
    })
    parts.add(() => ledger.close())
    projections.start()
    return { gatewayId, store, ledger, projections, close: () => parts.close() }
  } catch (error) {
    await parts.close()
    throw error
  }
}
