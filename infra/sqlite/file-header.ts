/**
 * The parts of a SQLite file's first page that tell whose file it is:
 * https://sqlite.org/fileformat.html
 */
import { closeSync, openSync, readSync } from 'node:fs'

const HEADER_BYTES = 100
const MAGIC = 'SQLite format 3\0'
const USER_VERSION_OFFSET = 60
const APPLICATION_ID_OFFSET = 68

export interface FileHeader {
  /** The number of the program that made the file; 0 when none has said so yet. */
  readonly applicationId: number
  /** The number of the last migration. */
  readonly userVersion: number
}

/**
 * @returns `'empty'` for a file without content, `'foreign'` for one that is no SQLite file
 *
 * Never call it on a file that this process has open in SQLite: closing any descriptor of a file
 * drops all locks that the process has on it (POSIX).
 */
export function readFileHeader(path: string): FileHeader | 'empty' | 'foreign' {
  const header = Buffer.alloc(HEADER_BYTES)
  const descriptor = openSync(path, 'r')
  try {
    const bytes = readSync(descriptor, header, 0, HEADER_BYTES, 0)
    if (bytes === 0) return 'empty'
    if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) return 'foreign'
    return {
      applicationId: header.readInt32BE(APPLICATION_ID_OFFSET),
      userVersion: header.readInt32BE(USER_VERSION_OFFSET),
    }
  } finally {
    closeSync(descriptor)
  }
}
