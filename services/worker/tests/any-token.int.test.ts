/**
 * What the third price class stands on: however a prompt was cut into batches, and wherever it was
 * taken up again, the model's memory of it has the same bytes, and what is drawn from it the same
 * probabilities to the last digit. SVC_ANY_TOKEN_ROUNDS sets the conversations of each model.
 */

import { join } from 'node:path'
import { COLD } from '@svc/testing/protocol-client'
import { Random } from '@svc/testing/random'
import { makeTemporaryFolder } from '@svc/testing/temporary-folder'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeRandomModel } from '../bench/random-model/write-random-model.ts'
import { DEMO_MODEL, type Draw, type Engine, type EngineSequence } from '../src/engines/engine.ts'
import { openLlama } from '../src/engines/llama/llama.ts'
import type { PromptKind } from '../src/engines/prompt-schedule.ts'
import { chooseSchedule } from '../src/prefix-cache/choose-schedule.ts'
import { RuntimeWatch } from '../src/process/runtime-watch.ts'

const ROUNDS = Number(process.env.SVC_ANY_TOKEN_ROUNDS ?? 2)
const SEED = Number(process.env.SVC_ANY_TOKEN_SEED ?? 1)
/** Of a conversation, on a machine with other work. */
const ROUND_TIMEOUT_MS = 60_000
const TURNS = 4
/** Of a round. */
const SHORT_PROMPTS = 8
const DRAWS = 4
/** So small that some prompts end where a batch can no longer be filled up behind them. */
const CONTEXT_TOKENS = 768
const PROMPT_TOKENS_MAX = CONTEXT_TOKENS - DRAWS - 1
const TURN_TOKENS_MAX = 250
const PIECE_TOKENS_MAX = 200
const SHORT_PIECE_TOKENS_MAX = 20
/** Of the tokens that both models have, those that are text. */
const TOKENS = 250
/** Kernels of other processors may differ: a worker finds that out at its start. */
const isMeasured = process.arch === 'x64'

/** What the sequence holds of the prompt, and what comes after it. */
async function gone(sequence: EngineSequence, prompt: readonly number[]) {
  const blocks = await sequence.readBlocks(0, prompt.length - 1)
  const draws: Draw[] = []
  const stream = sequence.generate(prompt.slice(-1), {
    sampling: COLD,
    grammar: () => null,
    logitBias: [],
    bannedUnderGrammar: () => [],
    logprobs: true,
    answered: () => draws.map(({ token }) => token),
    alone: false,
  })
  for await (const draw of stream) {
    draws.push(draw)
    if (draws.length === DRAWS) break
  }
  return { blocks, draws }
}

/** In pieces of any size, as turns of a conversation and cancelled requests leave them. */
async function prefillInPieces(
  sequence: EngineSequence,
  prompt: readonly number[],
  kind: PromptKind,
  random: Random,
): Promise<void> {
  const pieceTokens = kind === 'short' ? SHORT_PIECE_TOKENS_MAX : PIECE_TOKENS_MAX
  for (let from = sequence.length; from < prompt.length - 1; from = sequence.length) {
    const to = Math.min(prompt.length - 1, from + 1 + random.integer(pieceTokens))
    await sequence.prefill(prompt.slice(from, to), kind)
  }
}

/** Leading tokens that two prompts have, but for the last of either. */
function sharedTokens(one: readonly number[], other: readonly number[]): number {
  const most = Math.min(one.length, other.length) - 1
  let tokens = 0
  while (tokens < most && one[tokens] === other[tokens]) tokens += 1
  return tokens
}

describe.skipIf(!isMeasured).each(['demo', 'tiny'] as const)('the model %s', (model) => {
  const folder = makeTemporaryFolder()
  let engine: Engine
  let warm: EngineSequence
  let cold: EngineSequence

  beforeAll(async () => {
    const path = join(folder.path, 'model.gguf')
    if (model === 'tiny') writeRandomModel({ shape: 'tiny', path, seed: 1 })
    const opened = await openLlama(
      {
        model: model === 'demo' ? DEMO_MODEL : path,
        modelsFolder: '',
        gpu: 'off',
        sequences: 2,
        threads: 1,
        contextSize: CONTEXT_TOKENS,
        contextSizeMax: CONTEXT_TOKENS,
      },
      { log: () => {}, watch: new RuntimeWatch() },
    )
    engine = opened.engine
    expect(await chooseSchedule(engine)).toMatchObject({ reason: null })
    const [first, second] = engine.sequences
    if (first === undefined || second === undefined) throw new Error('two sequences are needed')
    warm = first
    cold = second
  })
  afterAll(async () => {
    await engine.dispose()
    folder.remove()
  })

  const timeout = ROUNDS * ROUND_TIMEOUT_MS
  it('gives the same bytes and draws as from the beginning, from any token', {
    timeout,
  }, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const random = new Random(SEED + round)
      const some = (tokens: number) => Array.from({ length: tokens }, () => random.integer(TOKENS))
      let prompt: readonly number[] = some(2 + random.integer(TURN_TOKENS_MAX))
      await warm.truncate(0)
      for (let turn = 0; turn < TURNS; turn += 1) {
        const before = warm.evaluatedTokens
        const held = warm.length
        await prefillInPieces(warm, prompt, 'long', random)
        expect(warm.evaluatedTokens - before).toBe(prompt.length - 1 - held)
        const again = await gone(warm, prompt)
        await cold.truncate(0)
        await cold.prefill(prompt.slice(0, -1), 'long')
        const where = `seed ${SEED + round}, turn ${turn}, ${held} of ${prompt.length} tokens held`
        const whole = await gone(cold, prompt)
        expect(again.draws, where).toEqual(whole.draws)
        expect(Buffer.concat(again.blocks).equals(Buffer.concat(whole.blocks)), where).toBe(true)
        // The next turn goes on from anywhere in this prompt; what was drawn is read again.
        await warm.truncate(random.integer(prompt.length))
        const answer = again.draws.map(({ token }) => token)
        const next = [...prompt, ...answer, ...some(1 + random.integer(TURN_TOKENS_MAX))]
        prompt = next.slice(0, PROMPT_TOKENS_MAX)
      }
    }
  })

  it('does so for short prompts, which are computed in smaller batches', { timeout }, async () => {
    const { shortTokensMax } = engine.schedule
    for (let round = 0; round < ROUNDS * SHORT_PROMPTS; round += 1) {
      const random = new Random(SEED + round)
      const tokens = 2 + random.integer(shortTokensMax)
      const some = (length: number) => Array.from({ length }, () => random.integer(TOKENS))
      const before = some(shortTokensMax + 1)
      const prompt = [...before.slice(0, random.integer(tokens)), ...some(tokens)].slice(0, tokens)
      // The beginning that both have was computed as a part of another short prompt.
      await warm.truncate(0)
      await prefillInPieces(warm, before, 'short', random)
      await warm.truncate(sharedTokens(before, prompt))
      await prefillInPieces(warm, prompt, 'short', random)
      const again = await gone(warm, prompt)
      await cold.truncate(0)
      await cold.prefill(prompt.slice(0, -1), 'short')
      const whole = await gone(cold, prompt)
      const where = `seed ${SEED + round}, ${tokens} tokens`
      expect(again.draws, where).toEqual(whole.draws)
      expect(Buffer.concat(again.blocks).equals(Buffer.concat(whole.blocks)), where).toBe(true)
    }
  })
})
