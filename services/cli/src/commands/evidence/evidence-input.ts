/** Files that evidence is verified with: of any length, whoever made them. */
import { createReadStream } from 'node:fs'
import { messageOf } from '@svc/contracts/error-message'
import { bytesWithin } from '@svc/infra/system/bounded-bytes'
import { CliError, EXIT_NOT_FOUND, EXIT_USAGE } from '../../context/exit-codes.ts'

const NOTE_BYTES_MAX = 256 * 1024
/** This many bytes are read at once, because a history has hundreds of megabytes. */
const READ_BYTES = 1024 * 1024

/** @throws {CliError} when the file cannot be read */
export async function* chunksOfFile(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>
  } catch (error) {
    throw unreadable(path, error)
  }
}

/** @throws {CliError} when it cannot be read, or is far too large for a note */
export async function readNoteFile(path: string): Promise<string> {
  const bytes = await bytesWithin(NOTE_BYTES_MAX, chunksOfFile(path))
  if (bytes !== undefined) return bytes.toString('utf8')
  throw new CliError(EXIT_USAGE, `${path} is too large for a note or a key`)
}

/** A key as it is, or the file that holds it. @throws {CliError} */
export async function readKeyOption(option: string, given: string): Promise<string> {
  if (/^[^\s+]+\+[0-9a-f]{8}\+/.test(given) || given.startsWith('PRIVATE+KEY+')) return given
  const text = (await readNoteFile(given)).trim()
  if (text.includes('+')) return text
  throw new CliError(EXIT_USAGE, `${option}: ${given} is no key and holds none`)
}

function unreadable(path: string, error: unknown): CliError {
  const why = messageOf(error)
  return new CliError(EXIT_NOT_FOUND, `cannot read ${path}: ${why}`)
}
