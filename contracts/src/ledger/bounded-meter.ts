/**
 * What of a worker's meter can be true of a request, and so may be billed.
 *
 * A worker that is broken, or lies, can claim more tokens than the request can have had. Of every
 * reading that the claim allows, the one that is cheapest for the customer counts:
 *
 *     the prompt has as many tokens as are claimed, and no more than were accepted
 *     of these, as many are cached as are claimed: a cached token never costs more
 *     the output has no more tokens than were accepted, and reasoning no more than the output
 *
 *     accepted 100 in, 50 out; claimed 100 computed, 60 cached, 70 out → 40 computed, 60 cached, 50
 */
import type { WorkerMeter } from '../worker/protocol.ts'

export interface AcceptedTokens {
  /** Tokens of the prompt. */
  readonly promptTokens: number
  readonly maxOutputTokens: number
}

/** @returns the meter with its counts cut to what was accepted; all else is as the worker said */
export function boundedMeter(meter: WorkerMeter, accepted: AcceptedTokens): WorkerMeter {
  const cachedInputTokens = Math.min(meter.cachedInputTokens, accepted.promptTokens)
  const inputTokens = Math.min(meter.inputTokens, accepted.promptTokens - cachedInputTokens)
  const outputTokens = Math.min(meter.outputTokens, accepted.maxOutputTokens)
  const reasoningTokens = Math.min(meter.reasoningTokens, outputTokens)
  return { ...meter, inputTokens, cachedInputTokens, outputTokens, reasoningTokens }
}

/** Whether the worker claims more than the request can have had: an operator must hear of it. */
export function isImplausible(meter: WorkerMeter, accepted: AcceptedTokens): boolean {
  const bounded = boundedMeter(meter, accepted)
  return (
    meter.inputTokens !== bounded.inputTokens ||
    meter.cachedInputTokens !== bounded.cachedInputTokens ||
    meter.outputTokens !== bounded.outputTokens ||
    meter.reasoningTokens !== bounded.reasoningTokens
  )
}
