/**
 * Finds out, before a worker serves, whether this model's memory can be taken apart into blocks and
 * put together again: with another file format of a new llama.cpp, or a model that remembers in
 * another way (recurrent, sliding window), the cache must be off, and say so.
 *
 * A prompt is computed, copied out, put back, and gone on from: the bytes and the tokens that
 * follow have to be the same. Then an answer is put aside and goes on in another
 * sequence, where it has to go on as it would have.
 */
import { messageOf } from '@svc/contracts/error-message'
import type { Engine, EngineSequence, GenerateOptions } from '../engines/engine.ts'
import type { PromptKind } from '../engines/prompt-schedule.ts'
import { areSame, testPrompt } from './choose-schedule.ts'

const DRAWS = 4
/** Blocks that are copied out and put back, with a few tokens more. */
const BLOCKS = 2
const MORE_TOKENS = 5

export type ReuseTest =
  | {
      readonly works: true
      readonly tokenBytes: number
      /** How fast this model computes prompts here. */
      readonly computeTokensPerMs: number
      /** Whether an answer can be put aside. */
      readonly putsAside: boolean
    }
  | { readonly works: false; readonly reason: string }

/** Leaves the sequence empty, or in doubt when it does not work. */
export async function testReuse(engine: Engine, nowMs: () => number): Promise<ReuseTest> {
  const [sequence] = engine.sequences
  if (!engine.canReusePrefix || sequence === undefined) {
    return { works: false, reason: 'this kind of model cannot go on from a part of its memory' }
  }
  if (engine.contextSize <= promptTokens(engine) + DRAWS) {
    return { works: false, reason: `a context of ${engine.contextSize} tokens is too small` }
  }
  try {
    return await tryOut(engine, sequence, nowMs)
  } catch (error) {
    return { works: false, reason: messageOf(error) }
  }
}

function promptTokens({ schedule }: Engine): number {
  return BLOCKS * schedule.blockTokens + MORE_TOKENS
}

async function tryOut(
  engine: Engine,
  sequence: EngineSequence,
  nowMs: () => number,
): Promise<ReuseTest> {
  const prompt = testPrompt(engine, promptTokens(engine))
  const last = prompt.length - 1
  const kind = engine.schedule.kindOf(last)
  const reused = last - (last % engine.schedule.cutTokens)
  const begunMs = nowMs()
  await sequence.prefill(prompt.slice(0, reused), kind)
  const computeMs = Math.max(1, nowMs() - begunMs)
  const blocks = await sequence.readBlocks(0, reused)
  const cold = await goOn(sequence, prompt.slice(reused), kind)
  await sequence.truncate(0)
  await sequence.restore(prompt.slice(0, reused), blocks)
  const again = await sequence.readBlocks(0, reused)
  const warm = await goOn(sequence, prompt.slice(reused), kind)
  if (!areSame(blocks, again)) {
    return { works: false, reason: 'blocks that were put back have other bytes' }
  }
  if (cold.join() !== warm.join()) {
    return { works: false, reason: 'the model goes on otherwise from what was put back' }
  }
  const putsAside = await testPutAside(engine, sequence, warm)
  await sequence.truncate(0)
  const bytes = blocks.reduce((sum, block) => sum + block.length, 0)
  return {
    works: true,
    putsAside,
    tokenBytes: bytes / reused,
    computeTokensPerMs: reused / computeMs,
  }
}

/** @param answer that the sequence has begun, whose last token is still to be computed */
async function testPutAside(
  engine: Engine,
  sequence: EngineSequence,
  answer: readonly number[],
): Promise<boolean> {
  if (!engine.drawsByPlace) return false
  const other = engine.sequences.at(-1) ?? sequence
  try {
    const copy = await sequence.copy()
    const whole = await drawn(sequence, answer)
    await other.load(copy).finally(() => copy.release())
    const again = await drawn(other, answer)
    await other.truncate(0)
    return whole.join() === again.join()
  } catch {
    return false
  }
}

/** The answer so far with a few tokens more, drawn by chance. */
async function drawn(sequence: EngineSequence, before: readonly number[]): Promise<number[]> {
  const answer = [...before]
  const sampling = { ...LIKELIEST.sampling, temperature: 1 }
  const draws = sequence.generate(before.slice(-1), {
    ...LIKELIEST,
    sampling,
    answered: () => answer,
  })
  for await (const { token } of draws) {
    answer.push(token)
    if (answer.length === before.length + DRAWS) break
  }
  return answer
}

/** The tokens that the model finds likeliest after the rest of a prompt. */
async function goOn(
  sequence: EngineSequence,
  rest: readonly number[],
  kind: PromptKind,
): Promise<number[]> {
  await sequence.prefill(rest.slice(0, -1), kind)
  const tokens: number[] = []
  const draws = sequence.generate(rest.slice(-1), LIKELIEST)
  for await (const { token } of draws) {
    tokens.push(token)
    if (tokens.length === DRAWS) break
  }
  return tokens
}

const LIKELIEST: GenerateOptions = {
  sampling: {
    temperature: 0,
    topP: 1,
    topK: 0,
    minP: 0,
    seed: 1,
    frequencyPenalty: 0,
    presencePenalty: 0,
    repetitionPenalty: 1,
  },
  grammar: () => null,
  logitBias: [],
  bannedUnderGrammar: () => [],
  logprobs: false,
  answered: () => [],
  alone: true,
}
