/**
 * Newline-delimited JSON from a worker, as events. A worker is another process, perhaps on another
 * machine: every line is bounded and checked, and what does not fit the protocol is a failure of
 * the worker, never a number on somebody's bill.
 */
import { type GenerateEvent, generateEvent } from '@svc/contracts/worker/protocol'

const MAX_LINE_BYTES = 256 * 1024
const MAX_OUTPUT_TOKENS = 1_000_000_000
const NEWLINE = 0x0a
const NOTHING = Buffer.alloc(0)

/** The worker sent what is no event of the protocol. */
class ProtocolViolation extends Error {
  override readonly name = 'ProtocolViolation'
}

export class EventLines {
  #rest: Buffer = NOTHING

  /**
   * @returns the events that are complete with this chunk
   * @throws {ProtocolViolation}
   */
  push(chunk: Buffer): GenerateEvent[] {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const end = bytes.lastIndexOf(NEWLINE)
    this.#rest = end < 0 ? bytes : bytes.subarray(end + 1)
    if (this.#rest.length > MAX_LINE_BYTES) throw new ProtocolViolation('a line is too long')
    if (end < 0) return []
    const lines = bytes.toString('utf8', 0, end).split('\n')
    return lines.map(readEvent)
  }
}

function readEvent(line: string): GenerateEvent {
  if (line.length > MAX_LINE_BYTES) throw new ProtocolViolation('a line is too long')
  const value = parse(line)
  if (isToken(value)) return value
  const event = generateEvent.safeParse(value)
  if (!event.success) throw new ProtocolViolation('a line is no event')
  return event.data
}

/**
 * The schema's check of a token without log probabilities, by hand: there is one of these for every
 * token. What it does not take is left to the schema.
 */
function isToken(value: unknown): value is Extract<GenerateEvent, { type: 'token' }> {
  if (typeof value !== 'object' || value === null) return false
  const { type, text, kind, outputTokens, logprobs } = value as Record<string, unknown>
  return (
    type === 'token' &&
    typeof text === 'string' &&
    (kind === 'text' || kind === 'reasoning' || kind === 'arguments') &&
    logprobs === undefined &&
    Number.isSafeInteger(outputTokens) &&
    (outputTokens as number) >= 0 &&
    (outputTokens as number) <= MAX_OUTPUT_TOKENS
  )
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new ProtocolViolation('a line is no JSON')
  }
}
