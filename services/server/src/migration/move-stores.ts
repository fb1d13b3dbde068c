/** The two stores of a move: one on a server, one in files of the folder. */
import { mkdirSync } from 'node:fs'
import { noCrashPoints } from '@svc/contracts/crash-points'
import { type EventStore, START } from '@svc/contracts/ports/event-store'
import type { MovableTexts } from '@svc/contracts/ports/movable-texts'
import type { EventStoreDbEventStore } from '@svc/infra/event-store/eventstoredb/eventstoredb-event-store'
import { openEventStoreDb } from '@svc/infra/event-store/eventstoredb/open-eventstoredb'
import { OutageWaitingStore } from '@svc/infra/event-store/outage-waiting-store'
import { openSqliteEventStore } from '@svc/infra/event-store/sqlite/sqlite-event-store'
import { openSqliteSnapshotStore } from '@svc/infra/snapshot-store/sqlite/sqlite-snapshot-store'
import { StoreOpenError } from '@svc/infra/store-open-error'
import { systemTimer } from '@svc/infra/system/system-timer'
import { openSqliteTextStore } from '@svc/infra/text-store/sqlite/sqlite-text-store'
import type { Logger } from 'pino'
import { recogniseLog } from '../core/log-identity.ts'
import type { OpenResources } from '../core/open-resources.ts'
import type { DataFolder } from '../data-folder/data-folder.ts'
import { DataFolderError } from '../data-folder/data-folder-error.ts'
import type { MigrationNote } from '../data-folder/migration-note.ts'
import { type ServerPlace, shownLocation } from '../settings/log-location.ts'
import { movingFiles } from './moving-files.ts'

const OWNER_ONLY_FOLDER = 0o700

export interface MoveEnd {
  readonly store: EventStore
  readonly texts: MovableTexts
}

export interface ServerEndPorts {
  readonly folder: DataFolder
  readonly server: ServerPlace
  readonly logger: Logger
}

/**
 * Keeps every other process off the folder, as a server does whose events are elsewhere.
 *
 * @throws {StoreOpenError} that names the server that is still to be stopped
 */
export function lockFolder(folder: DataFolder, parts: OpenResources): void {
  folder.make()
  try {
    const snapshots = openSqliteSnapshotStore(folder.snapshotsFile, noCrashPoints)
    parts.add(() => snapshots.close())
  } catch (error) {
    if (!(error instanceof StoreOpenError && error.code === 'in-use')) throw error
    const server = folder.readServer()
    const who = server === undefined ? '' : ` (process ${server.pid}, at ${server.baseUrl})`
    throw new StoreOpenError(
      'in-use',
      `a server, or another command, is at work in ${folder.path}${who}: stop it first`,
      { cause: error },
    )
  }
}

/** @throws {StoreOpenError} also when another move was begun there */
export async function openServerEnd(
  { server, logger }: ServerEndPorts,
  { id }: Pick<MigrationNote, 'id'>,
  parts: OpenResources,
): Promise<EventStoreDbEventStore> {
  const { url, streamPrefix, readyWithinMs } = server
  const store = await openEventStoreDb({
    url,
    streamPrefix,
    readyWithinMs,
    logger,
    migrationId: id,
    checkWrites: true,
  })
  parts.add(() => store.close())
  return store
}

/** Short outages are waited for, by reads of the whole log too: nobody else asks meanwhile. */
export function serverEnd(store: EventStoreDbEventStore): MoveEnd {
  const isStarting = true
  return { store: new OutageWaitingStore(store, systemTimer, isStarting), texts: store.texts }
}

/** @throws {StoreOpenError} */
export function openFileEnd(
  folder: DataFolder,
  to: MigrationNote['to'],
  parts: OpenResources,
): MoveEnd {
  const files = movingFiles(folder)
  const isTarget = to === 'sqlite'
  if (isTarget) mkdirSync(files.copy.folder, { recursive: true, mode: OWNER_ONLY_FOLDER })
  const { ledger, texts: textsFile } = isTarget ? files.copy : files.own
  const onFatal = throwIt
  const store = openSqliteEventStore(ledger, { onFatal })
  parts.add(() => store.close())
  const texts = openSqliteTextStore(textsFile, { onFatal })
  parts.add(() => texts.close())
  return { store, texts }
}

/**
 * Checks before anything is changed that the server is fit to be left, or to be filled.
 *
 * @throws {DataFolderError}
 */
export async function checkServerEnd(
  { folder, server, logger }: ServerEndPorts,
  { to }: Pick<MigrationNote, 'to'>,
  store: EventStoreDbEventStore,
): Promise<void> {
  const place = shownLocation(server)
  const isEmpty = (await store.lastPosition()) === START
  if (to === 'eventstoredb') {
    if (isEmpty) return
    throw new DataFolderError(
      `${place} holds a ledger already: name another SVC_EVENTSTORE_PREFIX, or another server`,
    )
  }
  if (isEmpty) throw new DataFolderError(`${place} holds no ledger: there is nothing to move`)
  await recogniseLog(store, server, { folder, logger, otherLog: 'refuse' })
  const [damaged] = store.setAside()
  if (damaged === undefined) return
  const what = `the stream ${damaged.stream} is damaged (${damaged.order})`
  throw new DataFolderError(`${place}: ${what}. A ledger is moved whole: mend that first`)
}

/** The disk has failed: nothing that this process believes of the file can be trusted. */
function throwIt(error: unknown): never {
  throw error
}
