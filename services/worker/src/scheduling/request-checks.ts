/** Whether the engine can serve a request at all, before anything of it is computed. */
import type { AnswerOptions, GenerateRequest, PrepareRequest } from '@svc/contracts/worker/protocol'
import { BadGrammar, type Engine, type GrammarStart } from '../engines/engine.ts'
import { WorkerRefusal } from '../protocol/refusal.ts'

/** @throws WorkerRefusal for a request that the engine can never serve */
export function refuseUnfit(request: GenerateRequest, engine: Engine): void {
  const { tenant, tokens, maxOutputTokens, plan } = request
  if (tokens.some((token) => token >= engine.vocabulary.size)) {
    throw badField('tokens', 'a token id is not in the vocabulary')
  }
  refuseUnfitOptions(request, engine)
  if (tokens.length + maxOutputTokens > engine.contextSize) {
    throw new WorkerRefusal(
      'prompt_too_long',
      `${tokens.length} prompt tokens and ${maxOutputTokens} output tokens ` +
        `do not fit the context of ${engine.contextSize} tokens`,
    )
  }
  const { grammar } = plan
  if (grammar !== null) refuseBadGrammar({ tenant, grammar }, engine, 'plan')
}

/** @throws WorkerRefusal for options that no answer of the engine can be drawn with */
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

/** @param field that asked for it @throws WorkerRefusal when the runtime cannot read it */
export function refuseBadGrammar(
  start: GrammarStart,
  engine: Pick<Engine, 'startGrammar'>,
  field: string,
): void {
  try {
    engine.startGrammar(start)
  } catch (error) {
    if (!(error instanceof BadGrammar)) throw error
    throw badField(field, `its grammar cannot be read: ${error.message}`)
  }
}

function badField(field: string, what: string): WorkerRefusal {
  return new WorkerRefusal('bad_request', `${field}: ${what}`, { field })
}
