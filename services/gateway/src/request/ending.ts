/** The end of an answer: the good one, with the usage that was billed for it, or an error. */
import { ServiceError } from '@svc/contracts/errors'
import type { TokenClass } from '@svc/contracts/tokens'
import type { Settled } from '@svc/ledger/ledger'
import { stoppedError } from '../admission/stop.ts'
import {
  type AnswerEnding,
  type InferenceRequest,
  isGoodFinish,
} from '../formats/inference-request.ts'
import { callersError } from './caller-error.ts'
import type { EndedRun } from './cost.ts'

/** @returns undefined when the run was stopped or broke: such an answer has no good end */
export function answerEnding(run: EndedRun, settled: Settled): AnswerEnding | undefined {
  const { finishReason, failure, meter } = run.record
  if (failure !== undefined || finishReason === undefined || !isGoodFinish(finishReason)) {
    return undefined
  }
  const tokens = (name: TokenClass) =>
    settled.lines.find((line) => line.class === name)?.tokens ?? 0
  const outputTokens = tokens('output')
  return {
    finishReason,
    stopText: run.record.stopText,
    billed: {
      inputTokens: tokens('input'),
      cachedInputTokens: tokens('cached_input'),
      outputTokens,
    },
    reasoningTokens: Math.min(meter?.reasoningTokens ?? 0, outputTokens),
    cost: settled.amount,
    balanceAfter: settled.balanceAfter,
  }
}

/** The error that ends an answer without a good end. */
export function badEnding(
  { record, stopReason }: EndedRun,
  request: InferenceRequest,
  requestId: string,
): Error {
  const stopped = stoppedError(stopReason, requestId)
  if (stopped !== undefined) return stopped
  const { failure } = record
  if (failure !== undefined) {
    return callersError(failure, request, requestId) ?? failure.toServiceError(requestId)
  }
  const message = 'The inference worker stopped the request before its end.'
  return new ServiceError('worker_failed', message, { requestId, retryAfterSeconds: 1 })
}
