/** The last two events of a request: what it took, and how it ended. */
import type { Latencies, PromptScheduleName } from '@svc/contracts/events/account'
import type { GenerateEvent, WorkerMeter } from '@svc/contracts/worker/protocol'
import type { Ending, Interruption } from './execution.ts'
import type { PromptCounts } from './prompt-meter.ts'

export interface RunCounts {
  readonly prompt: PromptCounts
  readonly outputTokens: number
  readonly reasoningTokens: number
}

export function meterOf(
  { workerId, schedule }: { readonly workerId: string; readonly schedule: PromptScheduleName },
  { prompt, outputTokens, reasoningTokens }: RunCounts,
  times: RunTimes,
  endMs: number,
): WorkerMeter {
  const { inputTokens, cachedInputTokens, evaluatedTokens } = prompt
  const { reusedTokens, blocks, source, lastBlockHash } = prompt
  return {
    inputTokens,
    cachedInputTokens,
    outputTokens,
    reasoningTokens,
    workerId,
    cache: { schedule, reusedTokens, blocks, source, lastBlockHash, evaluatedTokens },
    latencies: latenciesOf(times, endMs),
  }
}

export function lastEvent(ending: Ending, interruption: Interruption): GenerateEvent {
  switch (ending.kind) {
    case 'done':
      return { type: 'done', finishReason: ending.reason, stopText: ending.stopText }
    case 'failed':
      return {
        type: 'error',
        code: ending.code ?? 'failed',
        message: 'the model failed on this request',
      }
    case 'interrupted':
      return interruptions[interruption]
  }
}

const interruptions: Readonly<Record<Interruption, GenerateEvent>> = {
  cancelled: { type: 'done', finishReason: 'cancelled', stopText: null },
  time_limit: { type: 'error', code: 'time_limit', message: 'the time limit was reached' },
  queue_full: { type: 'error', code: 'queue_full', message: 'it had to make room in the queue' },
}

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
