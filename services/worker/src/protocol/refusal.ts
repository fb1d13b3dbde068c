/** Requests that are not taken. */
import type {
  AnswerOptions,
  GenerateRequest,
  PrepareRequest,
  PromptLength,
  WorkerErrorCode,
} from '@svc/contracts/worker/protocol'
import { BadGrammar, type Engine } from '../engines/engine.ts'

export interface RefusalDetails {
  /** The field of the request that is at fault. */
  readonly field?: string
  readonly promptLength?: PromptLength
}

/** A request that is not taken; the code is the worker protocol's. */
export class SchedulerRefusal extends Error {
  override readonly name = 'SchedulerRefusal'
  readonly code: WorkerErrorCode
  readonly details: RefusalDetails

  constructor(code: WorkerErrorCode, message: string, details: RefusalDetails = {}) {
    super(message)
    this.code = code
    this.details = details
  }
}

/** @throws SchedulerRefusal for a request that the engine can never serve */
export function refuseUnfit(request: GenerateRequest, engine: Engine): void {
  const { tokens, maxOutputTokens, plan } = request
  if (tokens.some((token) => token >= engine.vocabulary.size)) {
    throw badField('tokens', 'a token id is not in the vocabulary')
  }
  refuseUnfitOptions(request, engine)
  if (tokens.length + maxOutputTokens > engine.contextSize) {
    throw new SchedulerRefusal(
      'prompt_too_long',
      `${tokens.length} prompt tokens and ${maxOutputTokens} output tokens ` +
        `do not fit the context of ${engine.contextSize} tokens`,
    )
  }
  if (plan.grammar !== null) refuseBadGrammar(plan.grammar, engine, 'plan')
}

/** @throws SchedulerRefusal for options that no answer of the engine can be drawn with */
export function refuseUnfitOptions(
  { logitBias = [], topLogprobs = null, stop = [] }: Pick<PrepareRequest, keyof AnswerOptions>,
  { vocabulary, tellsLogprobs }: Pick<Engine, 'vocabulary' | 'tellsLogprobs'>,
): void {
  if (logitBias.some(([token]) => token >= vocabulary.size)) {
    throw badField('logitBias', 'a token id is not in the vocabulary')
  }
  if (topLogprobs !== null && !tellsLogprobs) {
    throw badField('topLogprobs', 'this worker cannot tell them')
  }
  if (!stop.every((each) => each.isWellFormed())) {
    throw badField('stop', 'a text is not valid Unicode')
  }
}

/** @param field that asked for it @throws SchedulerRefusal when the runtime cannot read it */
export function refuseBadGrammar(
  grammar: string,
  engine: Pick<Engine, 'startGrammar'>,
  field: string,
): void {
  try {
    engine.startGrammar(grammar, '')
  } catch (error) {
    if (!(error instanceof BadGrammar)) throw error
    throw new SchedulerRefusal('bad_request', `plan.grammar: ${error.message}`, { field })
  }
}

function badField(field: string, what: string): SchedulerRefusal {
  return new SchedulerRefusal('bad_request', `${field}: ${what}`, { field })
}
