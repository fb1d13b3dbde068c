/** Makes the text of an answer that an operation gives line by line: newline-delimited JSON. */
import { Readable } from 'node:stream'
import { answerableError } from '@svc/contracts/ports/answerable-error'
import { withHeartbeat } from './heartbeat.ts'

/**
 * Interval of the blank lines by which both ends of a quiet stream notice a dead peer, and the
 * server that its reader's token has ended.
 */
const HEARTBEAT_MS = 1_000

type Beating = AsyncGenerator<object | 'heartbeat'>

/**
 * The first value is awaited before the answer begins, or the first heartbeat: so most refusals
 * still get their status. One that comes later is the last line of the stream.
 *
 * @param requireStill rejects when the reader may not go on; asked for every line
 * @param signal aborted when the reader has gone
 * @param onDefect is told what ended the stream that was nobody's refusal
 */
export async function lineStream(
  lines: AsyncIterable<object>,
  requireStill: () => Promise<void>,
  signal: AbortSignal,
  onDefect: (cause: unknown) => void,
): Promise<Readable> {
  const source = withHeartbeat(lines, HEARTBEAT_MS)
  const opening = await source.next()
  return Readable.from(withRefusal(textOf(opening, source, requireStill), signal, onDefect))
}

async function* textOf(
  opening: IteratorResult<object | 'heartbeat'>,
  source: Beating,
  requireStill: () => Promise<void>,
): AsyncGenerator<string> {
  try {
    for (let next = opening; next.done !== true; next = await source.next()) {
      await requireStill()
      yield next.value === 'heartbeat' ? '\n' : `${JSON.stringify(next.value)}\n`
    }
  } finally {
    await source.return(undefined)
  }
}

async function* withRefusal(
  text: AsyncGenerator<string>,
  signal: AbortSignal,
  onDefect: (cause: unknown) => void,
): AsyncGenerator<string> {
  try {
    yield* text
  } catch (cause) {
    if (signal.aborted) return
    const { code, message, param } = answerableError(cause)
    if (code === 'internal_error') onDefect(cause)
    yield `${JSON.stringify({ type: 'error', error: { code, message, param } })}\n`
  }
}
