/** Opens the log of events where the settings say that it is. */
import type { ReachCrashPoint } from '@svc/contracts/crash-points'
import type { EventStore } from '@svc/contracts/ports/event-store'
import { OutageWaitingStore } from '@svc/infra/event-store/outage-waiting-store'
import { openSqliteEventStore } from '@svc/infra/event-store/sqlite/sqlite-event-store'
import { systemTimer } from '@svc/infra/system/system-timer'
import type { Logger } from 'pino'
import type { DataFolder } from '../data-folder/data-folder.ts'
import type { LogLocation } from '../settings/log-location.ts'
import type { OpenResources } from './open-resources.ts'

export interface StoreOptions {
  readonly place: LogLocation
  readonly folder: DataFolder
  readonly reach: ReachCrashPoint
  readonly logger: Logger
  /** Called once when the disk under a file has failed: the process must end. */
  readonly onFatal: (error: unknown) => void
}

/**
 * @param parts closes it again
 * @throws {StoreOpenError} when the log cannot be used, with nothing written
 */
export async function openStore(options: StoreOptions, parts: OpenResources): Promise<EventStore> {
  const { place, folder, reach, onFatal } = options
  const store =
    place.kind === 'sqlite'
      ? openSqliteEventStore(folder.ledgerFile, { onFatal, reachCrashPoint: reach })
      : await openOnServer(place, options)
  parts.add(() => store.close())
  return store
}

async function openOnServer(
  { url, streamPrefix, readyWithinMs }: LogLocation & { kind: 'eventstoredb' },
  { reach, logger }: StoreOptions,
): Promise<EventStore> {
  // Loaded only here: a service on a file needs no gRPC.
  const { openEventStoreDb } = await import('@svc/infra/event-store/eventstoredb/open-eventstoredb')
  const options = { url, streamPrefix, readyWithinMs, reachCrashPoint: reach, logger }
  return new OutageWaitingStore(await openEventStoreDb(options), systemTimer)
}
