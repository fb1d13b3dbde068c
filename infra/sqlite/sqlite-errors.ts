import { StoreDamagedError } from '@svc/contracts/ports/event-store'

/** Result codes of SQLite that make a difference here: https://sqlite.org/rescode.html */
export const SQLITE_BUSY = 5
export const SQLITE_LOCKED = 6
export const SQLITE_READONLY = 8
export const SQLITE_IOERR = 10
const SQLITE_CORRUPT = 11
export const SQLITE_FULL = 13
export const SQLITE_CANTOPEN = 14
export const SQLITE_CONSTRAINT = 19
const SQLITE_NOTADB = 26

const PRIMARY_CODE_MASK = 0xff

/** What brings a damaged file back, for the middle of a message. */
export const RESTORE_IT =
  'restore it from a backup, as docs/how-to/back-up-and-restore.md says under "A damaged file"'

/**
 * Reads from a file that is open.
 *
 * @throws {StoreDamagedError} when SQLite finds the file damaged
 */
export function readFrom<Result>(path: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    const code = sqliteCodeOf(error)
    if (code !== SQLITE_CORRUPT && code !== SQLITE_NOTADB) throw error
    const message = `${path} is damaged and cannot be read: stop svc and ${RESTORE_IT}`
    throw new StoreDamagedError(message, { cause: error })
  }
}

/** The primary result code of an error that SQLite raised, or `undefined` for any other error. */
export function sqliteCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined
  return typeof error.errcode === 'number' ? error.errcode & PRIMARY_CODE_MASK : undefined
}
