/** Files that evidence is verified with: read in bounded pieces, whoever made them. */
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { LINE_BYTES_MAX } from '@svc/contracts/evidence/evidence-file'
import { CliError, EXIT_NOT_FOUND, EXIT_USAGE } from '../../context/exit-codes.ts'

const NEWLINE = 0x0a
const NOTE_BYTES_MAX = 256 * 1024
/** Read at once: a history has hundreds of megabytes. */
const READ_BYTES = 1024 * 1024

/**
 * The lines of a file as bytes, without their line feeds. What follows the last line feed, and a
 * line beyond the bound, is `undefined`: it is no line of an evidence file.
 *
 * @throws {CliError} when the file cannot be read
 */
export async function* linesOfFile(path: string): AsyncGenerator<Buffer | undefined> {
  let unfinished: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of createReadStream(path, {
      highWaterMark: READ_BYTES,
    }) as AsyncIterable<Buffer>) {
      let start = 0
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        const rest = chunk.subarray(start, end)
        yield unfinished.length === 0 ? rest : Buffer.concat([...unfinished, rest])
        unfinished = []
        length = 0
        start = end + 1
      }
      if (start < chunk.length) unfinished.push(chunk.subarray(start))
      length += chunk.length - start
      if (length > LINE_BYTES_MAX) break
    }
  } catch (error) {
    throw unreadable(path, error)
  }
  if (unfinished.length > 0) yield undefined
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
