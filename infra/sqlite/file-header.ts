/**
 * The parts of a SQLite file's first page that tell whose file it is:
 * https://sqlite.org/fileformat.html
 */
import { closeSync, openSync, readSync } from 'node:fs'

const HEADER_BYTES = 100
const MAGIC = 'SQLite format 3\0'
const PAGE_SIZE_OFFSET = 16
/** The page size that has no room in its two bytes is written as 1. */
const LARGEST_PAGE_BYTES = 65_536
const CHANGES_OFFSET = 24
const PAGES_OFFSET = 28
/** The number of changes at which the number of pages was right. */
const PAGES_AT_CHANGE_OFFSET = 92
const USER_VERSION_OFFSET = 60
const APPLICATION_ID_OFFSET = 68

export interface FileHeader {
  /** The number of the program that made the file; 0 when none has said so yet. */
  readonly applicationId: number
  /** The number of the last migration. */
  readonly userVersion: number
  /** The bytes of all pages; 0 when the header does not say. */
  readonly bytes: number
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
      bytes: bytesSaidIn(header),
    }
  } finally {
    closeSync(descriptor)
  }
}

function bytesSaidIn(header: Buffer): number {
  const isRight =
    header.readUInt32BE(CHANGES_OFFSET) === header.readUInt32BE(PAGES_AT_CHANGE_OFFSET)
  if (!isRight) return 0
  const size = header.readUInt16BE(PAGE_SIZE_OFFSET)
  return header.readUInt32BE(PAGES_OFFSET) * (size === 1 ? LARGEST_PAGE_BYTES : size)
}
