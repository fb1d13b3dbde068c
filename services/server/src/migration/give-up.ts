/** Gives a move of the ledger up: the original counts, as it did before. */
import {
  ANY_MIGRATION,
  type MigrationMark,
} from '@svc/infra/event-store/eventstoredb/migration-mark'
import { OpenResources } from '../core/open-resources.ts'
import { loggerTo } from '../core/warning-logger.ts'
import type { DataFolder } from '../data-folder/data-folder.ts'
import { DataFolderError } from '../data-folder/data-folder-error.ts'
import { halfMovedProblem, type MigrationNote } from '../data-folder/migration-note.ts'
import { type ServerPlace, shownLocation } from '../settings/log-location.ts'
import { isStillLeaving } from './ledger-move.ts'
import { lockFolder, openServerEnd } from './move-stores.ts'
import { movingFiles, removeFiles } from './moving-files.ts'

export interface GivenUpMove {
  readonly folder: DataFolder
  readonly to: MigrationNote['to']
  readonly server: ServerPlace
  readonly warn: (warning: string) => void
  /** Asks before a ledger counts again that was moved away; rejects when it must not. */
  readonly confirm: (question: string) => Promise<void>
}

/**
 * What a server was filled with stays there, marked as half a ledger.
 *
 * @throws {DataFolderError} when there is nothing to give up, or it is too late
 * @throws {StoreOpenError} when the ledger is on the server, and that cannot be told so
 */
export async function giveUpMove(move: GivenUpMove): Promise<void> {
  const { folder, to } = move
  folder.check({ moving: true })
  const note = folder.migration.read()
  const isOther = note !== undefined && note.to !== to
  if (isOther || (note?.phase === 'moved' && (to === 'eventstoredb' || folder.holdsLedger()))) {
    throw new DataFolderError(halfMovedProblem(folder.path, note))
  }
  if (to === 'eventstoredb' && note === undefined) throw nothingBegun(folder.path)
  const parts = new OpenResources(loggerTo(move.warn))
  try {
    lockFolder(folder, parts)
    if (to === 'sqlite') await stayOnServer(move, note, parts)
    folder.migration.remove()
  } finally {
    await parts.close()
  }
}

/** @param note of the folder, which has one before the server is told */
async function stayOnServer(
  move: GivenUpMove,
  note: MigrationNote | undefined,
  parts: OpenResources,
): Promise<void> {
  const { folder, server, confirm } = move
  const logger = loggerTo(move.warn)
  const store = await openServerEnd({ folder, server, logger }, { id: ANY_MIGRATION }, parts)
  const mark: MigrationMark | undefined = await store.marks.read()
  const isMarked = mark?.state === 'leaving' || mark?.state === 'left'
  if (!isMarked && note === undefined) throw nothingBegun(folder.path)
  // Copied whole, and given up by nobody: it is finished.
  if (note?.phase === 'moved' && (await isStillLeaving(store, note))) {
    throw new DataFolderError(halfMovedProblem(folder.path, note))
  }
  if (mark?.state === 'left') {
    await confirm(
      `The ledger of ${shownLocation(server)} was moved to a file. Is that file gone, so that this ` +
        'one counts again?',
    )
  }
  removeFiles(movingFiles(folder).copy)
  if (isMarked) await store.marks.write({ id: mark.id, state: 'whole' })
}

function nothingBegun(path: string): DataFolderError {
  return new DataFolderError(
    `${path}: no move of its ledger was begun: there is nothing to give up`,
  )
}
