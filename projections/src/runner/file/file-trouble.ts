/** What can be wrong with the file of a view: the file itself, or the disk below it. */
const SQLITE_CORRUPT = 11
const SQLITE_NOT_A_DATABASE = 26
/**
 * The codes for busy, no memory, read-only, an I/O error, full, and cannot open. They are true of
 * the moment, and not of the file.
 */
const PASSING_TROUBLE = new Set([5, 7, 8, 10, 13, 14])
const PRIMARY_CODE_MASK = 0xff

/** Whether SQLite found the file damaged, or no view of this version: then only a new one helps. */
export function isDamage(error: unknown): boolean {
  if (error instanceof ForeignFileError) return true
  const code = sqliteCodeOf(error)
  return code === SQLITE_CORRUPT || code === SQLITE_NOT_A_DATABASE
}

/** Whether the disk or the machine is at fault, such as a full disk: then it is tried again. */
export function isPassingTrouble(error: unknown): boolean {
  if (error instanceof Error && 'syscall' in error) return true
  const code = sqliteCodeOf(error)
  return code !== undefined && PASSING_TROUBLE.has(code)
}

function sqliteCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error && 'errcode' in error)) return undefined
  return Number(error.errcode) & PRIMARY_CODE_MASK
}

export class ForeignFileError extends Error {
  override readonly name = 'ForeignFileError'
}
