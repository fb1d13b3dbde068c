/** What a request can ask of the draws: biases, log probabilities, budgets of thinking. */
import type { Logprob, Thinking } from '@svc/contracts/worker/protocol'
import { COLD, type Outcome, THINKING, user } from '@svc/testing/protocol-client'
import { describe, expect, it } from 'vitest'
import { demoWorker } from '../testing/demo-worker.ts'

const worker = demoWorker()
const CAPITAL = [user('What is the capital city of Norway?')]
const STORY = [user('Write a short story about a fox named Mira')]
const COMPARE = [user('Which number is larger, 45 or 54?')]
/** The token `<|im_end|>` of the demo model. */
const END_OF_TURN = 2043
const WARM = { ...COLD, temperature: 1.3, seed: 7, presencePenalty: 0.5 }

const logprobsOf = ({ events }: Outcome): Logprob[] =>
  events.flatMap((event) => (event.type === 'token' ? (event.logprobs ?? []) : []))
const sum = (entries: readonly { logprob: number }[]) =>
  entries.reduce((total, { logprob }) => total + Math.exp(logprob), 0)
const bytesOf = (logprobs: readonly Logprob[]) =>
  Buffer.from(logprobs.flatMap(({ bytes }) => bytes ?? [])).toString('utf8')

describe('log probabilities', () => {
  it('name the drawn token and the likeliest ones, best first', async () => {
    const answer = await worker().generate(CAPITAL, { topLogprobs: 5 })
    const logprobs = logprobsOf(answer)
    expect(logprobs.map(({ token }) => token).join('')).toBe(answer.text)
    expect(bytesOf(logprobs)).toBe(answer.text)
    expect(logprobs).toHaveLength(answer.outputTokens)
    for (const { top, ...drawn } of logprobs) {
      expect(top).toHaveLength(5)
      expect(top[0]).toEqual(drawn)
      expect(top.map(({ logprob }) => logprob)).toEqual(
        top.map(({ logprob }) => logprob).toSorted((a, b) => b - a),
      )
      expect(sum(top)).toBeGreaterThan(0.2)
      expect(sum(top)).toBeLessThan(1 + 1e-5)
    }
  })

  it('do not change what is drawn, whatever is asked of the draws', async () => {
    const { plan } = await worker().prepare(STORY, { outputFormat: { type: 'json' } })
    for (const changes of [
      { sampling: WARM },
      { sampling: { ...WARM, topP: 0.8, topK: 30 }, logitBias: [[300, 2]] as [number, number][] },
      { sampling: WARM, plan },
    ]) {
      const asked = { maxOutputTokens: 60, ...changes }
      const without = await worker().generate(STORY, asked)
      const withThem = await worker().generate(STORY, { ...asked, topLogprobs: 0 })
      expect(withThem.text).toBe(without.text)
      expect(logprobsOf(without)).toEqual([])
      expect(bytesOf(logprobsOf(withThem))).toBe(withThem.text)
    }
  })

  it('are those of the model itself, whatever the temperature and the bias', async () => {
    const first = async (changes: object) =>
      logprobsOf(await worker().generate(STORY, { topLogprobs: 3, maxOutputTokens: 1, ...changes }))
    const [plain] = await first({})
    const [warm] = await first({ sampling: WARM, logitBias: [[300, 5]] })
    expect(warm?.top).toEqual(plain?.top)
  })

  it('are of the text only, not of the reasoning', async () => {
    const answer = await worker().generate(COMPARE, { thinking: THINKING, topLogprobs: 1 })
    expect(answer.reasoning).not.toBe('')
    expect(bytesOf(logprobsOf(answer)).trim()).toBe(answer.text)
  })

  it('of many requests at once do not mix', async () => {
    const asked = { topLogprobs: 2, sampling: WARM, maxOutputTokens: 30 }
    const alone = logprobsOf(await worker().generate(STORY, asked))
    const all = await Promise.all(
      [CAPITAL, STORY, CAPITAL, STORY].map((messages) => worker().generate(messages, asked)),
    )
    expect(logprobsOf(all[1] as Outcome).map(({ token }) => token)).toEqual(
      alone.map(({ token }) => token),
    )
    for (const answer of all) expect(bytesOf(logprobsOf(answer))).toBe(answer.text)
  })
})

describe('a bias', () => {
  it('bans a token, or makes it the only one', async () => {
    const plain = await worker().generate(CAPITAL, { topLogprobs: 0 })
    const { tokens } = await worker().prepare([user('Oslo')])
    const [first] = await firstTokens(plain)
    const banned = await worker().generate(CAPITAL, { logitBias: [[first ?? 0, -100]] })
    expect(plain.text).toContain('Oslo')
    expect(banned.text.startsWith(plain.text.slice(0, 3))).toBe(false)
    const forced = tokens.find((token) => token < 2040 && token > 256) ?? 300
    const only = await worker().generate(CAPITAL, {
      logitBias: [[forced, 100]],
      maxOutputTokens: 5,
      topLogprobs: 0,
    })
    expect(new Set(logprobsOf(only).map(({ token }) => token)).size).toBe(1)
  })

  it('keeps an answer from its end', async () => {
    const plain = await worker().generate(CAPITAL)
    const endless = await worker().generate(CAPITAL, {
      logitBias: [[END_OF_TURN, -100]],
      maxOutputTokens: plain.outputTokens + 5,
    })
    expect(endless.outputTokens).toBe(plain.outputTokens + 5)
  })

  it('on a token outside the vocabulary is refused', async () => {
    const asked = await worker().request(CAPITAL, { logitBias: [[2048, 1]] })
    const { status, body } = await worker().call('POST', '/generate', asked)
    expect([status, body]).toMatchObject([400, { error: { code: 'bad_request' } }])
  })

  /** Ids of the tokens that an answer begins with, found by banning nothing. */
  async function firstTokens(answer: Outcome): Promise<number[]> {
    const { tokens: framed } = await worker().prepare([user(answer.text)])
    const { tokens: empty } = await worker().prepare([user('')])
    const start = framed.findIndex((token, index) => token !== empty[index])
    return framed.slice(start)
  }
})

describe('a budget of thinking', () => {
  const think = (budgetTokens: number | null): { thinking: Thinking } => ({
    thinking: { ...THINKING, budgetTokens },
  })

  it.each([0, 8])(
    'of %i tokens ends the thinking, and the answer comes all the same',
    async (budget) => {
      const free = await worker().generate(COMPARE, think(null))
      const { reasoning, text, meter, last } = await worker().generate(COMPARE, think(budget))
      expect(free.meter?.reasoningTokens).toBeGreaterThan(20)
      expect(meter?.reasoningTokens).toBeLessThan(20)
      expect(free.reasoning.startsWith(reasoning)).toBe(true)
      expect(reasoning.length).toBeLessThan(free.reasoning.length)
      expect(text).toMatch(/larger|bigger|54|45/)
      expect(text).not.toContain('think>')
      expect(last).toMatchObject({ finishReason: 'stop' })
    },
  )

  it('that is not used up changes nothing', async () => {
    const free = await worker().generate(COMPARE, think(null))
    const large = await worker().generate(COMPARE, think(4000))
    expect([large.text, large.reasoning, large.outputTokens]).toEqual([
      ...[free.text, free.reasoning, free.outputTokens],
    ])
  })

  it('ends in the middle of its close when the tokens run out', async () => {
    const { meter, last } = await worker().generate(COMPARE, { ...think(8), maxOutputTokens: 9 })
    expect(meter?.outputTokens).toBe(9)
    expect(last).toMatchObject({ finishReason: 'length' })
  })

  it('does not depend on the cache', async () => {
    const long = [
      user(`${'The library opens at nine. '.repeat(40)} Which number is larger, 45 or 54?`),
    ]
    const cold = await worker().generate(long, { ...think(8), tenant: 'thinking' })
    const warm = await worker().generate(long, { ...think(8), tenant: 'thinking' })
    expect(warm.meter?.cachedInputTokens).toBeGreaterThan(0)
    expect([warm.text, warm.reasoning]).toEqual([cold.text, cold.reasoning])
  })
})

describe('the likeliest tokens to draw from', () => {
  const drawn = async (topK: number) => {
    const sampling = { ...WARM, topK }
    return (await worker().generate(STORY, { sampling, maxOutputTokens: 30 })).text
  }

  it('are all where more are asked for than the model has, however many', async () => {
    const all = await drawn(0)
    // 40 is what the runtime takes where it is told nothing.
    for (const topK of [1, 40]) expect(await drawn(topK)).not.toBe(all)
    // Cut to 32 bits these would be 1, 0 and -1.
    for (const topK of [2 ** 32 + 1, 2 ** 32, 2 ** 53 - 1]) expect(await drawn(topK)).toBe(all)
  })
})
