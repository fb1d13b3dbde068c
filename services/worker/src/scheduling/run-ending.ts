/** The last two events of a run: what it took, and how it ended. */
import type { GenerateEvent, WorkerMeter } from '@svc/contracts/worker/protocol'
import type { Ending, Interruption } from './execution.ts'
import type { PromptCounts } from './prompt-meter.ts'
import { latenciesOf, type RunTimes } from './run-times.ts'

export interface RunCounts {
  readonly prompt: PromptCounts
  readonly outputTokens: number
  readonly reasoningTokens: number
}

export function meterOf(
  workerId: string,
  { prompt, outputTokens, reasoningTokens }: RunCounts,
  times: RunTimes,
  endMs: number,
): WorkerMeter {
  const { inputTokens, cachedInputTokens, blocks, source, lastBlockHash, evaluatedTokens } = prompt
  return {
    ...{ inputTokens, cachedInputTokens, outputTokens, reasoningTokens, workerId },
    cache: { blocks, source, lastBlockHash, evaluatedTokens },
    latencies: latenciesOf(times, endMs),
  }
}

export function lastEvent(ending: Ending, interruption: Interruption): GenerateEvent {
  switch (ending.kind) {
    case 'done':
      return { type: 'done', finishReason: ending.reason, stopText: ending.stopText }
    case 'failed':
      return {
        ...{ type: 'error', code: ending.code ?? 'failed' },
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
