/** Newline-delimited JSON from the bytes of an answer. Blank lines are heartbeats. */
import { LineSplitter } from '@svc/infra/system/line-splitter'

const LINE_BYTES_MAX = 4 * 1024 * 1024

/** @throws {RangeError} on a line that is longer than any of ours */
export async function* jsonLines(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  const lines = new LineSplitter(LINE_BYTES_MAX)
  for await (const bytes of body) {
    for (const line of lines.push(bytes)) if (line !== '') yield JSON.parse(line)
  }
  const last = lines.end()
  if (last.trim() !== '') yield JSON.parse(last)
}
