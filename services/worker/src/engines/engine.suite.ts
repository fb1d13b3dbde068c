/**
 * What the port of the engine promises, for every engine: the scheduler, the prefix cache and the
 * meter rely on nothing else. Each engine's test gives a factory and the texts it is tried with.
 */
import { COLD } from '@svc/testing/protocol-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BadGrammar, type Engine, type EngineSequence, type GenerateOptions } from './engine.ts'

export interface EngineUnderTest {
  /** At least two sequences of 1024 tokens, which can be reused, copied and put back. */
  readonly open: () => Promise<Engine>
  /** A grammar that the engine cannot read. */
  readonly unreadable: string
  /** A grammar with one text. */
  readonly grammar: { readonly gbnf: string; readonly text: string }
}

/** A whole number of blocks, and of batches, under every schedule. */
const CHUNK_TOKENS = 128
const CHUNKS = 2
const DRAWS = 6
const tenant = 'acct_1'

/** The likeliest tokens, that nothing binds. */
const PLAIN: Omit<GenerateOptions, 'answered'> = {
  sampling: COLD,
  grammar: () => null,
  logitBias: [],
  bannedUnderGrammar: () => [],
  logprobs: false,
  alone: false,
}

interface Answer extends Partial<GenerateOptions> {
  /** What of the answer there is already; the tokens that are drawn are added. */
  readonly answer?: number[]
  readonly draws?: number
}

/** Draws tokens after the given ones, and adds them to the answer. */
async function draw(
  sequence: EngineSequence,
  tokens: readonly number[],
  { answer = [], draws = DRAWS, ...options }: Answer = {},
): Promise<number[]> {
  const stream = sequence.generate(tokens, {
    ...PLAIN,
    answered: () => answer,
    ...options,
  })
  for (let count = 0; count < draws; count += 1) {
    const { value } = await stream.next()
    if (value !== undefined) answer.push(value.token)
  }
  await stream.return()
  return answer
}

async function prefillChunks(sequence: EngineSequence, prompt: readonly number[]): Promise<void> {
  for (let chunk = 0; chunk < CHUNKS; chunk += 1) {
    await sequence.prefill(prompt.slice(chunk * CHUNK_TOKENS, (chunk + 1) * CHUNK_TOKENS), 'long')
  }
}

function batchesOf({ schedule }: Engine, tokens: number): number {
  const { batchEnd } = schedule.batches.long
  let batches = 0
  for (let from = 0; from < tokens; from = batchEnd(from, tokens)) batches += 1
  return batches
}

export function describeEngine(name: string, { open, unreadable, grammar }: EngineUnderTest): void {
  describe(`the engine ${name}`, () => {
    let engine: Engine
    let one: EngineSequence
    let other: EngineSequence
    /** Whole blocks, and one token more that is always computed. */
    let prompt: readonly number[]

    beforeAll(async () => {
      engine = await open()
      const [first, second] = engine.sequences
      if (first === undefined || second === undefined) throw new Error('two sequences are needed')
      one = first
      other = second
      const text = engine.vocabulary.tokenize(
        'Mira the fox lives in a small town. '.repeat(40),
        false,
        false,
      )
      prompt = text.slice(0, CHUNKS * CHUNK_TOKENS + 1)
    })
    afterAll(() => engine.dispose())

    const empty = async () => {
      await one.truncate(0)
      await other.truncate(0)
    }

    it('reads back the text that it made tokens of, and knows each by its bytes', () => {
      const { vocabulary } = engine
      const text = 'a fox, 12 × héllo 🦊'
      const tokens = vocabulary.tokenize(text, false, true)
      expect(tokens.every((token) => token >= 0 && token < vocabulary.size)).toBe(true)
      expect(vocabulary.detokenize(tokens, tokens.slice(0, 0)).trimStart()).toBe(text)
      const bytes = tokens.flatMap((token) => [...(vocabulary.bytes(token) ?? [])])
      expect(Buffer.from(bytes).toString().trimStart()).toBe(text)
    })

    it('makes control tokens of their texts only where they are looked for', () => {
      const { vocabulary } = engine
      const special = vocabulary.tokenize(vocabulary.endOfTextString, true, true)
      expect(special.map((token) => vocabulary.controlText(token))).toEqual([
        vocabulary.endOfTextString,
      ])
      expect(special.every((token) => vocabulary.isEndOfGeneration(token))).toBe(true)
      const plain = vocabulary.tokenize(vocabulary.endOfTextString, false, true)
      expect(plain.map((token) => vocabulary.controlText(token)).join('')).toBe('')
    })

    it('counts what it computes, and nothing that is cut off', async () => {
      await empty()
      const before = one.evaluatedTokens
      await one.prefill(prompt.slice(0, CHUNK_TOKENS), 'long')
      expect([one.length, one.evaluatedTokens - before]).toEqual([CHUNK_TOKENS, CHUNK_TOKENS])
      await one.truncate(5)
      expect([one.length, one.evaluatedTokens - before]).toEqual([5, CHUNK_TOKENS])
    })

    it('counts its batches, those of prompts and those of draws', async () => {
      await empty()
      const before = { ...engine.batches }
      await one.prefill(prompt.slice(0, CHUNK_TOKENS), 'long')
      await draw(one, prompt.slice(CHUNK_TOKENS, CHUNK_TOKENS + 1), { draws: 3 })
      expect(engine.batches.promptTokens - before.promptTokens).toBe(CHUNK_TOKENS)
      expect(engine.batches.prompt - before.prompt).toBe(batchesOf(engine, CHUNK_TOKENS))
      expect(engine.batches.decode - before.decode).toBeGreaterThanOrEqual(3)
      expect(engine.batches.decodeTokens).toBeGreaterThanOrEqual(before.decodeTokens + 3)
    })

    it('answers the same prompt the same in every sequence', async () => {
      await empty()
      await one.prefill(prompt.slice(0, CHUNK_TOKENS), 'long')
      await other.prefill(prompt.slice(0, CHUNK_TOKENS), 'long')
      const next = prompt.slice(CHUNK_TOKENS, CHUNK_TOKENS + 1)
      expect(await draw(one, next)).toEqual(await draw(other, next))
    })

    it('goes on from forced tokens in place of the last draw', async () => {
      await empty()
      await one.prefill(prompt.slice(0, 10), 'long')
      const answer: number[] = []
      const forced = engine.vocabulary.tokenize('fox', false, true)
      const stream = one.generate(prompt.slice(10, 11), {
        ...PLAIN,
        answered: () => answer,
      })
      await stream.next()
      expect(one.length).toBe(11)
      answer.push(...forced)
      await stream.next(forced)
      expect(one.length).toBe(11 + forced.length)
      await stream.return()
    })

    it('takes blocks out and puts them back, byte for byte, computing nothing', async () => {
      await empty()
      await prefillChunks(one, prompt)
      const end = prompt.length - 1
      const blocks = await one.readBlocks(0, end)
      const { blockTokens } = engine.schedule
      expect(blocks).toHaveLength(end / blockTokens)
      expect(await one.readBlocks(blockTokens, end)).toEqual(blocks.slice(1))
      const expected = await draw(one, prompt.slice(-1))
      const before = other.evaluatedTokens
      await other.restore(prompt.slice(0, -1), blocks)
      expect([other.length, other.evaluatedTokens]).toEqual([prompt.length - 1, before])
      expect(await other.readBlocks(0, end)).toEqual(blocks)
      expect(await draw(other, prompt.slice(-1))).toEqual(expected)
    })

    it('puts a short prompt back after a longer one, and nothing of the longer', async () => {
      await empty()
      await prefillChunks(one, prompt)
      const end = prompt.length - 1
      const { blockTokens } = engine.schedule
      const blocks = await one.readBlocks(0, end)
      await other.restore(prompt.slice(0, end), blocks)
      await other.truncate(0)
      await other.restore(prompt.slice(0, blockTokens), blocks.slice(0, 1))
      expect(other.length).toBe(blockTokens)
      expect(await other.readBlocks(0, blockTokens)).toEqual(blocks.slice(0, 1))
      await other.truncate(0)
      await other.restore(prompt.slice(0, end), blocks)
      expect(await other.readBlocks(0, end)).toEqual(blocks)
    })

    it('goes on within a block of another prompt as if it had computed all', async () => {
      await empty()
      await prefillChunks(one, prompt)
      const { blockTokens, cutTokens } = engine.schedule
      const end = prompt.length - 1
      const begun = 2 * blockTokens
      const fork = begun - Math.floor(blockTokens / 2 / cutTokens) * cutTokens
      const blocks = await one.readBlocks(0, begun)
      const forked = [...prompt.slice(0, fork), ...prompt.slice(fork, end).toReversed()]
      await one.truncate(0)
      await prefillChunks(one, [...forked, 0])
      await other.restore(prompt.slice(0, begun), blocks)
      await other.truncate(fork)
      await other.prefill(forked.slice(fork), 'long')
      expect(await other.readBlocks(0, end)).toEqual(await one.readBlocks(0, end))
    })

    it('refuses blocks that are not those of the tokens', async () => {
      await empty()
      await prefillChunks(one, prompt)
      const [block = new Uint8Array()] = await one.readBlocks(0, 10)
      await expect(other.restore(prompt.slice(0, -1), [block])).rejects.toThrow()
    })

    it('goes on with an answer in another sequence, exactly as it would have', async () => {
      await empty()
      const sampling = { ...COLD, temperature: 1, seed: 7 }
      await one.prefill(prompt.slice(0, 20), 'long')
      const begun = await draw(one, prompt.slice(20, 21), { sampling })
      const copy = await one.copy()
      expect(copy.tokens).toBe(one.length)
      const next = begun.slice(-1)
      const expected = await draw(one, next, { sampling, answer: [...begun] })
      const before = other.evaluatedTokens
      await other.load(copy)
      expect([other.length, other.evaluatedTokens]).toEqual([copy.tokens, before])
      await copy.release()
      expect(await draw(other, next, { sampling, answer: [...begun] })).toEqual(expected)
      expect(engine.drawsByPlace).toBe(true)
    })

    it('tells log probabilities where they are asked for, best first', async () => {
      expect(engine.tellsLogprobs).toBe(true)
      await empty()
      for (const logprobs of [true, false]) {
        const stream = one.generate(prompt.slice(0, 3), {
          ...PLAIN,
          logprobs,
          answered: () => [],
          alone: true,
        })
        const { value } = await stream.next()
        await stream.return()
        await one.truncate(0)
        if (!logprobs) {
          expect(value?.logprobs).toBeNull()
          continue
        }
        const likeliest = value?.logprobs?.likeliest ?? []
        const told = likeliest.map(({ logprob }) => logprob)
        expect(told).toEqual(told.toSorted((a, b) => b - a))
        expect(told.every((logprob) => logprob <= 0)).toBe(true)
        expect(likeliest.map(({ token }) => token)).toContain(value?.token)
      }
    })

    it('follows a grammar, also from the middle of its text', async () => {
      const { gbnf, text } = grammar
      const start = { tenant, grammar: gbnf }
      expect(() => engine.startGrammar({ tenant, grammar: unreadable })).toThrow(BadGrammar)
      expect(engine.startGrammar({ ...start, begun: `${text}${text}` })).toBeNull()
      const state = engine.startGrammar(start)
      expect(state?.grammar).toBe(gbnf)
      await empty()
      const drawn = await draw(one, prompt.slice(0, 3), { grammar: () => state, draws: 12 })
      const end = drawn.findIndex((token) => engine.vocabulary.isEndOfGeneration(token))
      expect(engine.vocabulary.detokenize(drawn.slice(0, end), [])).toBe(text)
      expect(engine.startGrammar({ ...start, begun: text.slice(0, 1) })).not.toBeNull()
    })

    it('holds it against no grammar that the process stood still', async () => {
      const state = engine.startGrammar({ tenant, grammar: grammar.gbnf })
      await empty()
      let standStill = () =>
        void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_200)
      const drawn = await draw(one, prompt.slice(0, 3), {
        grammar: () => {
          // Once the draw is under way.
          setImmediate(standStill)
          standStill = () => {}
          return state
        },
        draws: 12,
      })
      const end = drawn.findIndex((token) => engine.vocabulary.isEndOfGeneration(token))
      expect(engine.vocabulary.detokenize(drawn.slice(0, end), [])).toBe(grammar.text)
    })

    it('gives an empty sequence for one whose state is in doubt', async () => {
      await empty()
      await one.prefill(prompt.slice(0, 10), 'long')
      one = await engine.replace(one)
      expect(one.length).toBe(0)
      await one.prefill(prompt.slice(0, 10), 'long')
      expect(one.length).toBe(10)
    })
  })
}
