/** What evidence is verified with: files and answers of any length, whoever made them. */
import { createReadStream } from 'node:fs'
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
  const text = await textWithin(NOTE_BYTES_MAX, chunksOfFile(path))
  if (text !== undefined) return text
  throw new CliError(EXIT_USAGE, `${path} is too large for a note or a key`)
}

/** Reads no more than the bound. @returns undefined for what is longer */
export async function textWithin(
  bytesMax: number,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<string | undefined> {
  const read: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > bytesMax) return undefined
    read.push(chunk)
  }
  return Buffer.concat(read).toString('utf8')
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
