/** When a run got where, and the latencies that its meter tells. */
import type { Latencies } from '@svc/contracts/events/account'

/** Milliseconds of a clock that only goes forward; null for what was not reached. */
export interface RunTimes {
  readonly submittedMs: number
  readonly startedMs: number | null
  readonly promptDoneMs: number | null
  readonly firstTokenMs: number | null
}

const MICROSECONDS_PER_MILLISECOND = 1000

/** @param endMs when the run came to its end, however it did */
export function latenciesOf(times: RunTimes, endMs: number): Latencies {
  const { submittedMs, firstTokenMs } = times
  const startedMs = times.startedMs ?? endMs
  const promptDoneMs = times.promptDoneMs ?? endMs
  return {
    queueMs: wholeMicroseconds(startedMs - submittedMs),
    prefillMs: wholeMicroseconds(promptDoneMs - startedMs),
    firstTokenMs: firstTokenMs === null ? null : wholeMicroseconds(firstTokenMs - submittedMs),
    totalMs: wholeMicroseconds(endMs - submittedMs),
  }
}

/**
 * The difference of two clock readings has up to fifteen digits, most of them noise. Meters end up
 * in events and receipts that are kept for ever, so only what was measured is told.
 */
function wholeMicroseconds(ms: number): number {
  return Math.round(ms * MICROSECONDS_PER_MILLISECOND) / MICROSECONDS_PER_MILLISECOND
}
