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
  /** Whether a ledger that was moved away may count again. */
  readonly isConfirmed: boolean
}

/** What somebody has to say yes to. Nothing was changed, and nothing is held while they think. */
export interface GiveUpQuestion {
  readonly question: string
}

/**
 * What a server was filled with stays there, marked as half a ledger.
 *
 * @returns a question when it has to be confirmed; undefined when the move is given up
 * @throws {DataFolderError} when there is nothing to give up, or it is too late
 * @throws {StoreOpenError} when the ledger is on the server, and that cannot be told so
 */
export async function giveUpMove(move: GivenUpMove): Promise<GiveUpQuestion | undefined> {
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
    const question = to === 'sqlite' ? await stayOnServer(move, note, parts) : undefined
    if (question === undefined) folder.migration.remove()
    return question
  } finally {
    await parts.close()
  }
}

/** @param note of the folder, which has one before the server is told */
async function stayOnServer(
  move: GivenUpMove,
  note: MigrationNote | undefined,
  parts: OpenResources,
): Promise<GiveUpQuestion | undefined> {
  const { folder, server, isConfirmed } = move
  const logger = loggerTo(move.warn)
  const store = await openServerEnd({ folder, server, logger }, { id: ANY_MIGRATION }, parts)
  const mark: MigrationMark | undefined = await store.marks.read()
  const isMarked = mark?.state === 'leaving' || mark?.state === 'left'
  if (!isMarked && note === undefined) throw nothingBegun(folder.path)
  // Copied whole, and given up by nobody: it is finished.
  if (note?.phase === 'moved' && (await isStillLeaving(store, note))) {
    throw new DataFolderError(halfMovedProblem(folder.path, note))
  }
  if (mark?.state === 'left' && !isConfirmed) {
    const question =
      `The ledger of ${shownLocation(server)} was moved to a file. Is that file gone, so that this ` +
      'one counts again?'
    return { question }
  }
  removeFiles(movingFiles(folder).copy)
  if (isMarked) await store.marks.write({ id: mark.id, state: 'whole' })
  return undefined
}

function nothingBegun(path: string): DataFolderError {
  return new DataFolderError(
    `${path}: no move of its ledger was begun: there is nothing to give up`,
  )
}
