/**
 * The end of a move, when the copy was compared: each step is done once, however often it is begun.
 * From here on there is no way back but another move.
 */
import type { ReachCrashPoint } from '@svc/contracts/crash-points'
import type { EventStoreDbEventStore } from '@svc/infra/event-store/eventstoredb/eventstoredb-event-store'
import { noteLog } from '../core/log-identity.ts'
import type { DataFolder } from '../data-folder/data-folder.ts'
import type { MigrationNote } from '../data-folder/migration-note.ts'
import type { ServerPlace } from '../settings/log-location.ts'
import { movingFiles, removeFiles, renameFiles } from './moving-files.ts'

export interface PutInPlacePorts {
  readonly folder: DataFolder
  readonly server: ServerPlace
  readonly reach: ReachCrashPoint
}

/** The files of events and texts are closed. */
export async function putInPlace(
  { folder, server, reach }: PutInPlacePorts,
  { id, to, feed }: MigrationNote,
  store: EventStoreDbEventStore,
): Promise<void> {
  const files = movingFiles(folder)
  if (to === 'eventstoredb') {
    await noteLog(store, server, folder)
    renameFiles(files.own, files.kept)
    reach('migrate.renamed')
    await store.marks.write({ id, state: 'whole' })
  } else {
    // The mark is written before there is another ledger to sell on.
    await store.marks.write({ id, state: 'left' })
    renameFiles(files.copy, files.own)
    reach('migrate.renamed')
    removeFiles(files.copy)
    folder.removeLog()
  }
  // Positions are those of a store: the views are built anew at the next start.
  folder.forgetViews()
  moveFeed(folder, feed)
  reach('migrate.placed')
  folder.migration.remove()
}

/** The topic stays what it is, and the feed goes on at the same event. */
function moveFeed(folder: DataFolder, feed: string | null): void {
  const known = folder.feed.read()
  if (known === undefined) return
  folder.feed.write({ ...known, position: BigInt(feed ?? -1), witness: null })
}
