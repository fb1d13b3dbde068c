/**
 * Faces of node-llama-cpp that its types hide, each checked before it is used. The version of the
 * library is pinned; with another one that has them no longer, log probabilities are refused and
 * everything else goes on.
 *
 * Why they are needed:
 * - Log probabilities. The library samples either with everything a request can ask for (grammar,
 *   penalties, one seed for the whole answer) and tells probabilities after all of that; or it
 *   tells raw logits and knows no grammar and no lasting seed. Both results come from one native
 *   method, which can be asked twice about the same position: once as always, once without options.
 * - Failures of sampling. When a grammar leaves no token, the native method throws, and the library
 *   lets that end the process, with everybody's requests.
 * - Grammars that begin in the middle of an answer: what was drawn before has to be fed to them.
 * - A bias on the tokens that end an answer, which the library leaves out.
 * - A seed for each draw. The library has one for a stream of draws, whose later ones then depend
 *   on how many there were; an answer that goes on in another stream would begin again.
 * - Draws from the whole vocabulary. The library takes "no top-k" for a top-k of all tokens, and
 *   llama.cpp then sorts the vocabulary for every draw, which can take longer than the model does.
 * - The number of a sequence, by which those of a batch are ordered.
 */
import type {
  LlamaContext,
  LlamaContextSequence,
  LlamaGrammarEvaluationState,
  TokenBias,
} from 'node-llama-cpp'
import { LIKELIEST_TOKENS } from '../engine.ts'

/** Token, value, token, value … */
type Pairs = readonly number[]
type SampleToken = (batchIndex: number, sampler: object, ...results: unknown[]) => Promise<unknown>

interface SamplerClass {
  new (model: object): { applyConfig(config: object): void }
  canBeNextTokenForGrammarEvaluationState(state: object, token: number): boolean
  acceptGrammarEvaluationStateToken(state: object, token: number): void
}

/** What the library takes for a failure of the one sequence that was sampled for. */
const NOTHING_SAMPLED = -1

/**
 * Makes the context answer evaluations with `probabilities` by the natural logarithms of the
 * model's own probabilities: the likeliest tokens, best first, and the drawn one. How the token is
 * drawn does not change. And makes a failure of sampling fail its own evaluation only.
 *
 * @returns false when the library is not as it was
 */
export function mendSampling(context: LlamaContext, onFailure: (error: unknown) => void): boolean {
  const native = hidden(context, '_ctx')
  const model = hidden(context.model, '_model')
  const Sampler = samplerClass(context)
  const sample = native === undefined ? undefined : Reflect.get(native, 'sampleToken')
  if (native === undefined || model === undefined || Sampler === undefined) return false
  if (typeof sample !== 'function') return false
  const sampleToken: SampleToken = sample.bind(native)
  const rawSamplerFor = rawSamplers(Sampler, model)
  const mended: SampleToken = async (batchIndex, drawing, ...results) => {
    try {
      if (results[0] !== true) return await sampleToken(batchIndex, drawing, ...results)
      const token = await sampleToken(batchIndex, drawing)
      const filter = [[token], false, false, false, LIKELIEST_TOKENS]
      const raw = await sampleToken(batchIndex, rawSamplerFor(drawing), false, false, filter, true)
      return [token, logprobsOf(raw)]
    } catch (error) {
      onFailure(error)
      return NOTHING_SAMPLED
    }
  }
  return Reflect.defineProperty(native, 'sampleToken', { value: mended })
}

interface DrawConfig {
  readonly seed: number
  readonly topK: number
}

/**
 * Has the draws of a sequence use another seed each, and sort nothing where no top-k is asked for.
 *
 * @param seedOf from the seed of the stream; asked before every draw
 * @returns false when the library is not as it was: its own seed holds then
 */
export function mendDraws(
  native: LlamaContextSequence,
  seedOf: (streamSeed: number) => number,
): boolean {
  const resolve: unknown = Reflect.get(native, '_resolveSamplerConfig')
  if (typeof resolve !== 'function') return false
  const value = ({ topK, ...options }: DrawConfig): unknown =>
    // Null and not left out: then the library would take its own, 40.
    resolve.call(native, { ...options, topK: topK || null, seed: seedOf(options.seed) })
  return Reflect.defineProperty(native, '_resolveSamplerConfig', { value })
}

/** @returns the sequence's number in its context; 0 when the library is not as it was */
export function sequenceNumberOf(native: LlamaContextSequence): number {
  const found: unknown = Reflect.get(native, '_sequenceId')
  return typeof found === 'number' ? found : 0
}

/** A sampler without options for each one of the library: those of a batch work at once. */
function rawSamplers(Sampler: SamplerClass, model: object): (drawing: object) => object {
  const samplers = new WeakMap<object, object>()
  return (drawing) => {
    const known = samplers.get(drawing)
    if (known !== undefined) return known
    const sampler = new Sampler(model)
    sampler.applyConfig({ temperature: 0 })
    samplers.set(drawing, sampler)
    return sampler
  }
}

/** @param raw `[token, …, logits as pairs with the highest first, sum of exp(logit - highest)]` */
function logprobsOf(raw: unknown): Pairs | undefined {
  if (!Array.isArray(raw)) return undefined
  const [, , , logits, totalWeight] = raw as [unknown, unknown, unknown, Pairs?, number?]
  const highest = logits?.[1]
  if (logits === undefined || highest === undefined || totalWeight === undefined) return undefined
  const offset = highest + Math.log(totalWeight)
  return logits.map((value, index) => (index % 2 === 0 ? value : value - offset))
}

/**
 * Moves a grammar on by the tokens of a text that is there already.
 *
 * @returns false when the grammar does not go on like that; the state is then of no use
 */
export function feedGrammar(
  context: LlamaContext,
  state: LlamaGrammarEvaluationState,
  tokens: readonly number[],
): boolean {
  if (tokens.length === 0) return true
  const Sampler = samplerClass(context)
  const native = hidden(state, '_state')
  if (Sampler === undefined || native === undefined) return false
  for (const token of tokens) {
    if (!Sampler.canBeNextTokenForGrammarEvaluationState(native, token)) return false
    Sampler.acceptGrammarEvaluationStateToken(native, token)
  }
  return true
}

/** Adds to a token's logit, also where the token ends the answer. */
export function addBias(bias: TokenBias, token: number, logit: number): void {
  const biases = hidden(bias, '_biases')
  if (biases instanceof Map) biases.set(token, logit)
}

function samplerClass(context: LlamaContext): SamplerClass | undefined {
  const bindings = hidden(context.model.llama, '_bindings')
  const found: unknown = bindings === undefined ? undefined : Reflect.get(bindings, 'AddonSampler')
  return isSamplerClass(found) ? found : undefined
}

function isSamplerClass(found: unknown): found is SamplerClass {
  return (
    typeof found === 'function' &&
    typeof Reflect.get(found, 'canBeNextTokenForGrammarEvaluationState') === 'function' &&
    typeof Reflect.get(found, 'acceptGrammarEvaluationStateToken') === 'function'
  )
}

function hidden(owner: object, name: string): object | undefined {
  const found: unknown = Reflect.get(owner, name)
  return typeof found === 'object' && found !== null ? found : undefined
}
