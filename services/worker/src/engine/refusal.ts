/** Requests that are not taken. */
import type { GenerateRequest, WorkerErrorCode } from '@svc/contracts/worker-protocol'
import { BadGrammar, type Engine } from './engine.ts'

/** A request that is not taken; the code is the worker protocol's. */
export class SchedulerRefusal extends Error {
  override readonly name = 'SchedulerRefusal'
  readonly code: WorkerErrorCode

  constructor(code: WorkerErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** @throws SchedulerRefusal for a request that the engine can never serve */
export function refuseUnfit(request: GenerateRequest, engine: Engine): void {
  const { tokens, maxOutputTokens, logitBias, topLogprobs, plan } = request
  const isForeign = (token: number) => token >= engine.vocabulary.size
  if (tokens.some(isForeign)) {
    throw new SchedulerRefusal('bad_request', 'tokens: a token id is not in the vocabulary')
  }
  if (logitBias.some(([token]) => isForeign(token))) {
    throw new SchedulerRefusal('bad_request', 'logitBias: a token id is not in the vocabulary')
  }
  if (topLogprobs !== null && !engine.tellsLogprobs) {
    throw new SchedulerRefusal('bad_request', 'topLogprobs: this worker cannot tell them')
  }
  if (tokens.length + maxOutputTokens > engine.contextSize) {
    throw new SchedulerRefusal(
      'prompt_too_long',
      `${tokens.length} prompt tokens and ${maxOutputTokens} output tokens ` +
        `do not fit the context of ${engine.contextSize} tokens`,
    )
  }
  if (plan.grammar !== null) refuseBadGrammar(plan.grammar, engine)
}

function refuseBadGrammar(grammar: string, engine: Engine): void {
  try {
    engine.startGrammar(grammar, '')
  } catch (error) {
    if (!(error instanceof BadGrammar)) throw error
    throw new SchedulerRefusal('bad_request', `plan.grammar: ${error.message}`)
  }
}
