/** Newline-delimited JSON from the bytes of an answer. Blank lines are heartbeats. */

const MAX_LINE_CHARACTERS = 4 * 1024 * 1024

/** @throws {RangeError} on a line that is longer than any of ours */
export async function* jsonLines(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of body) {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = parts.pop() ?? ''
    if (rest.length > MAX_LINE_CHARACTERS) throw new RangeError('a line of the answer is too long')
    for (const part of parts) if (part !== '') yield JSON.parse(part)
  }
  if (rest.trim() !== '') yield JSON.parse(rest)
}
