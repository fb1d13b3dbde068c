/**
 * Newline-delimited JSON from a worker, as events. A worker is another process, perhaps on another
 * machine: every line is bounded and checked, and what does not fit the protocol is a failure of
 * the worker, never a number on somebody's bill.
 */
import { isTokenCount } from '@svc/contracts/tokens'
import { EVENT_BYTES_MAX, type GenerateEvent, generateEvent } from '@svc/contracts/worker/protocol'
import { LineSplitter } from '@svc/infra/system/line-splitter'

/** The worker sent what is no event of the protocol. */
class ProtocolViolation extends Error {
  override readonly name = 'ProtocolViolation'
}

export class EventLines {
  readonly #lines = new LineSplitter(EVENT_BYTES_MAX)

  /**
   * @returns the events that are complete with this chunk
   * @throws {ProtocolViolation} for a line that is no event, `RangeError` for one that is too long,
   *   `TypeError` for one that is no UTF-8
   */
  push(chunk: Buffer): GenerateEvent[] {
    return this.#lines.push(chunk).map(readEvent)
  }
}

function readEvent(line: string): GenerateEvent {
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
    text.isWellFormed() &&
    (kind === 'text' || kind === 'reasoning' || kind === 'arguments') &&
    logprobs === undefined &&
    typeof outputTokens === 'number' &&
    isTokenCount(outputTokens)
  )
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new ProtocolViolation('a line is no JSON')
  }
}
