/** Opens the log of events where the settings say that it is. */
import type { ReachCrashPoint } from '@svc/contracts/crash-points'
import type { EventStore } from '@svc/contracts/ports/event-store'
import type { StoreHealth } from '@svc/contracts/ports/store-health'
import type { TextStore } from '@svc/contracts/ports/text-store'
import { OutageWaitingStore } from '@svc/infra/event-store/outage-waiting-store'
import { openSqliteEventStore } from '@svc/infra/event-store/sqlite/sqlite-event-store'
import { systemTimer } from '@svc/infra/system/system-timer'
import { openSqliteTextStore } from '@svc/infra/text-store/sqlite/sqlite-text-store'
import type { Logger } from 'pino'
import type { DataFolder } from '../data-folder/data-folder.ts'
import type { LogLocation } from '../settings/log-location.ts'
import type { OpenResources } from './open-resources.ts'

export interface StoreOptions {
  readonly place: LogLocation
  readonly folder: DataFolder
  readonly reach: ReachCrashPoint
  readonly logger: Logger
  /** Whether it must be able to write; who only reads goes on without. */
  readonly checkWrites?: boolean | undefined
  /** Whether every read waits for a server that is away, until {@link OpenStores.started}. */
  readonly isStarting?: boolean | undefined
  /** Is called once when the disk under a file has failed: the process must end. */
  readonly onFatal: (error: unknown) => void
}

/** The log, and the texts about people that its events name. */
export interface OpenStores {
  readonly store: EventStore
  readonly health: StoreHealth
  readonly texts: TextStore
  /**
   * To be called when the service has started. From then on whoever asks for the log is told at
   * once that the store is away.
   */
  readonly started?: () => void
}

/**
 * @param parts closes them again
 * @throws {StoreOpenError} when one of them cannot be used, with no event written
 */
export async function openStores(options: StoreOptions, parts: OpenResources): Promise<OpenStores> {
  const { place, folder, reach, onFatal } = options
  if (place.kind === 'eventstoredb') {
    const opened = await openOnServer(place, options)
    parts.add(() => opened.store.close())
    return opened
  }
  const store = openSqliteEventStore(folder.ledgerFile, { onFatal, reachCrashPoint: reach })
  parts.add(() => store.close())
  const texts = openSqliteTextStore(folder.textsFile, { onFatal })
  parts.add(() => texts.close())
  return { store, health: store, texts }
}

async function openOnServer(
  { url, streamPrefix, readyWithinMs }: LogLocation & { kind: 'eventstoredb' },
  { reach, logger, checkWrites, isStarting }: StoreOptions,
): Promise<OpenStores> {
  // It is loaded only here, because a service on a file needs no gRPC.
  const { openEventStoreDb } = await import('@svc/infra/event-store/eventstoredb/open-eventstoredb')
  const where = { url, streamPrefix, readyWithinMs }
  const options = { ...where, reachCrashPoint: reach, logger, checkWrites }
  const health = await openEventStoreDb(options)
  // A gateway without views subscribes to nothing, and sells on what is there all the same.
  if (isStarting) health.watch()
  const store = new OutageWaitingStore(health, systemTimer, isStarting)
  return { store, health, texts: health.texts, started: () => store.started() }
}
