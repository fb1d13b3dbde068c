/** Files that evidence is verified with: read in bounded pieces, whoever made them. */
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
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
  try {
    const file = await open(path)
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(NOTE_BYTES_MAX), 0)
      return buffer.toString('utf8', 0, bytesRead)
    } finally {
      await file.close()
    }
  } catch (error) {
    throw unreadable(path, error)
  }
}

/** A key as it is, or the file that holds it. @throws {CliError} */
export async function readKeyOption(option: string, given: string): Promise<string> {
  if (/^[^\s+]+\+[0-9a-f]{8}\+/.test(given) || given.startsWith('PRIVATE+KEY+')) return given
  const text = (await readNoteFile(given)).trim()
  if (text.includes('+')) return text
  throw new CliError(EXIT_USAGE, `${option}: ${given} is no key and holds none`)
}

function unreadable(path: string, error: unknown): CliError {
  const why = error instanceof Error ? error.message : String(error)
  return new CliError(EXIT_NOT_FOUND, `cannot read ${path}: ${why}`)
}
