/** What becomes of an answer's tokens: calls, thinking, grammars, log probabilities. */
import {
  type AnswerPlan,
  EVENT_BYTES_MAX,
  type GenerateEvent,
  type Thinking,
} from '@svc/contracts/worker/protocol'
import { describe, expect, it, vi } from 'vitest'
import { request, run, scriptedWorker } from '../../../testing/scripted-worker.ts'
import { DrawFailed } from '../../engines/engine.ts'
import { bytes } from '../../engines/scripted/byte-vocabulary.ts'
import { AnswerText } from '../../prompt/answer-text.ts'

const PLAN: AnswerPlan = {
  grammar: null,
  grammarFrom: 'answer',
  callable: ['f', 'g'],
  mustCall: false,
}
const thinking: Thinking = { enabled: true, effort: 'medium', budgetTokens: null }
const call = (name: string, json = '{"a": 1}') =>
  `<tool_call>\n{"name": "${name}", "arguments": ${json}}\n</tool_call>`

/** Events with the pieces of one kind put together. */
function told(events: readonly GenerateEvent[]): unknown[] {
  const all: [string, string][] = []
  for (const event of events) {
    if (event.type === 'tool_call') all.push(['call', event.name])
    if (event.type !== 'token' || event.text === '') continue
    const last = all.at(-1)
    if (last?.[0] === event.kind) last[1] += event.text
    else all.push([event.kind, event.text])
  }
  return all
}

describe('a tool call', () => {
  it('is told apart from the text, and is why the answer ended', async () => {
    const { scheduler } = scriptedWorker({
      answer: `Let me see.\n${call('f')}\n${call('g', '{}')}`,
    })
    const asked = request('hi', { plan: PLAN, maxOutputTokens: 500 })
    const { events, last, meter } = await run(scheduler, asked)
    expect(told(events)).toEqual([
      ['text', 'Let me see.'],
      ['call', 'f'],
      ['arguments', '{"a": 1}'],
      ['call', 'g'],
      ['arguments', '{}'],
    ])
    expect(last).toEqual({ type: 'done', finishReason: 'tool_calls', stopText: null })
    const counts = events.map((event) => ('outputTokens' in event ? event.outputTokens : 0))
    expect(Math.max(...counts)).toBe(meter?.outputTokens)
  })

  it('is text where no tool may be called, or by a name that is none', async () => {
    for (const plan of [
      { ...PLAN, callable: [] },
      { ...PLAN, callable: ['h'] },
    ]) {
      const { scheduler } = scriptedWorker({ answer: call('f') })
      const { text, last } = await run(scheduler, request('hi', { plan, maxOutputTokens: 500 }))
      expect([text, last]).toMatchObject([call('f'), { finishReason: 'stop' }])
    }
  })

  it('that is cut ends at the limit', async () => {
    const { scheduler } = scriptedWorker({ answer: call('f') })
    const { events, last } = await run(
      scheduler,
      request('hi', { plan: PLAN, maxOutputTokens: 46 }),
    )
    expect(told(events)).toEqual([
      ['call', 'f'],
      ['arguments', expect.stringMatching(/^\{"a?/)],
    ])
    expect(last).toMatchObject({ finishReason: 'length' })
  })

  it('that is cut before its arguments is not told, and its tokens are counted', async () => {
    const { scheduler } = scriptedWorker({ answer: `Hm. ${call('f')}` })
    const asked = request('hi', { plan: PLAN, maxOutputTokens: 24 })
    const { events, last, meter } = await run(scheduler, asked)
    expect(told(events)).toEqual([['text', 'Hm.']])
    expect(last).toMatchObject({ finishReason: 'length' })
    expect(meter?.outputTokens).toBe(24)
  })

  it('is not ended by a stop text in its arguments', async () => {
    const { scheduler } = scriptedWorker({ answer: call('f') })
    const asked = request('hi', { plan: PLAN, stop: ['1'], maxOutputTokens: 500 })
    expect((await run(scheduler, asked)).last).toMatchObject({ finishReason: 'tool_calls' })
  })
})

describe('a grammar', () => {
  const grammars = (steps: readonly { kind: string; grammar: string | null }[]) =>
    steps.flatMap(({ kind, grammar }) => (kind === 'draw' ? [grammar] : []))

  it('from the answer on holds for every draw', async () => {
    const { scheduler, engine } = scriptedWorker({ answer: '{}' })
    const plan = { ...PLAN, callable: [], grammar: 'g' }
    await run(scheduler, request('hi', { plan }))
    expect(grammars(engine.steps)).toEqual(['g', 'g', 'g'])
  })

  it('from the call on holds from its opening to the end', async () => {
    const { scheduler, engine } = scriptedWorker({ answer: `Yes ${call('f')}` })
    const plan: AnswerPlan = { ...PLAN, grammar: 'g', grammarFrom: 'tool_call' }
    await run(scheduler, request('hi', { plan, maxOutputTokens: 500 }))
    const opening = 'Yes <tool_call>'.length
    const held = grammars(engine.steps)
    expect(held.slice(0, opening).every((grammar) => grammar === null)).toBe(true)
    expect(held.slice(opening).every((grammar) => grammar === 'g')).toBe(true)
    expect(engine.started.at(-1)).toMatchObject({ grammar: 'g', begun: '<tool_call>' })
  })

  it('goes on after a failed batch', async () => {
    let failures = 1
    const { scheduler, engine } = scriptedWorker({
      answer: '{"a": 1}',
      step: ({ kind, tokens }) => {
        if (kind === 'draw' && tokens.length === 6 && failures-- > 0) throw new Error('Eval failed')
      },
    })
    const { text } = await run(scheduler, request('hi', { plan: { ...PLAN, grammar: 'g' } }))
    expect(text).toBe('{"a": 1}')
    expect(new Set(grammars(engine.steps))).toEqual(new Set(['g']))
    expect(engine.started.at(-1)).toEqual({ grammar: 'g', begun: '', drawn: bytes('{"a"') })
  })

  it('that leaves nothing to draw ends the answer at once with an error', async () => {
    const { scheduler, engine } = scriptedWorker({
      answer: '{}',
      step: ({ kind, tokens }) => {
        if (kind === 'draw' && tokens.length > 2) throw new DrawFailed('grammar_stuck', 'no token')
      },
    })
    const { text, last } = await run(scheduler, request('hi', { plan: { ...PLAN, grammar: 'g' } }))
    expect([text, last]).toMatchObject(['{', { type: 'error', code: 'grammar_stuck' }])
    expect(engine.replaced).toHaveLength(1)
    expect(scheduler.state()).toMatchObject({ running: 0, ended: 1 })
  })

  it('that cannot be read is refused', () => {
    const { scheduler } = scriptedWorker()
    const asked = request('hi', { plan: { ...PLAN, grammar: 'bad' } })
    expect(() => scheduler.submit(asked, async () => {})).toThrow(
      /^plan: its grammar cannot be read/,
    )
  })
})

describe('thinking', () => {
  it('is counted and told apart', async () => {
    const { scheduler } = scriptedWorker({ answer: '<think>\nhm\n</think>\n\nYes' })
    const { events, meter } = await run(scheduler, request('hi', { thinking }))
    expect(told(events)).toEqual([
      ['reasoning', 'hm'],
      ['text', 'Yes'],
    ])
    expect(meter?.reasoningTokens).toBe('<think>\nhm\n</think>'.length)
  })

  it('ends at its budget; what is forced counts and is not shown', async () => {
    const { scheduler } = scriptedWorker({ answer: '<think>\nhmmmmm' })
    const budget = { ...thinking, budgetTokens: 10 }
    const asked = request('hi', { thinking: budget, maxOutputTokens: 20 })
    const { events, meter, last } = await run(scheduler, asked)
    expect(told(events)).toEqual([
      ['reasoning', 'hm'],
      ['text', 'mm'],
    ])
    expect(meter).toMatchObject({ outputTokens: 20, reasoningTokens: '<think>\nhm</think>'.length })
    expect(last).toMatchObject({ finishReason: 'length' })
  })

  it('that is not wanted ends where the prompt has opened it', async () => {
    const { scheduler, engine } = scriptedWorker({ answer: 'Yes' })
    const off = { ...thinking, enabled: false }
    const { events, meter } = await run(scheduler, request('<think>\n', { thinking: off }))
    expect(told(events)).toEqual([['text', 'Yes']])
    expect(meter).toMatchObject({ inputTokens: 8, outputTokens: 11, reasoningTokens: 8 })
    expect(meter?.cache.evaluatedTokens).toBe(8)
    expect(engine.steps.at(2)?.tokens.length).toBe('<think>\n</think>'.length)
  })

  it('comes before an answer under a grammar', async () => {
    const { scheduler, engine } = scriptedWorker({ answer: 'hm</think>{}' })
    const plan = { ...PLAN, callable: [], grammar: 'g' }
    const { events } = await run(scheduler, request('hi', { thinking, plan }))
    expect(told(events)).toEqual([
      ['reasoning', 'hm'],
      ['text', '{}'],
    ])
    const held = engine.steps.flatMap(({ kind, grammar }) => (kind === 'draw' ? [grammar] : []))
    // The opening is forced at once, so the first draw stands for all of its tokens.
    expect(held.indexOf('g')).toBe(1 + 'hm</think>'.length)
  })
})

describe('log probabilities', () => {
  it('are told with the text that they are of, in the order of the tokens', async () => {
    const { scheduler } = scriptedWorker({ answer: `<think>x</think>né ENDE${call('f')}` })
    const asked = request('hi', {
      plan: PLAN,
      thinking,
      topLogprobs: 2,
      stop: ['ENDX'],
      maxOutputTokens: 500,
    })
    const { events } = await run(scheduler, asked)
    const logprobs = events.flatMap((event) =>
      event.type === 'token' ? (event.logprobs ?? []) : [],
    )
    const bytes = logprobs.flatMap((each) => each.bytes ?? [])
    expect(Buffer.from(bytes).toString()).toBe('né ENDE')
    expect(logprobs.map(({ logprob }) => logprob)).toEqual(bytes.map((byte) => -byte / 1000))
    expect(logprobs.every(({ top }) => top.length === 2)).toBe(true)
    expect(logprobs[1]?.token).toBe('\uFFFD')
  })

  it('of a text that was held back come in events that the protocol has room for', async () => {
    const { scheduler } = scriptedWorker({ answer: `<tool_call>{"id": "${'x'.repeat(3000)}"}` })
    const asked = request('hi', { plan: PLAN, topLogprobs: 20, maxOutputTokens: 4000 })
    const { events, text } = await run(scheduler, asked)
    const told = events.flatMap((event) => (event.type === 'token' ? (event.logprobs ?? []) : []))
    expect(told.map(({ token }) => token).join('')).toBe(text)
    const bytes = events.map((event) => Buffer.byteLength(JSON.stringify(event)))
    expect(Math.max(...bytes)).toBeLessThan(EVENT_BYTES_MAX)
  })

  it('are refused where the engine cannot tell them', async () => {
    const { scheduler } = scriptedWorker({ tellsLogprobs: false })
    const asked = request('hi', { topLogprobs: 0 })
    expect(() => scheduler.submit(asked, async () => {})).toThrow(/topLogprobs/)
  })
})

describe('an answer that cannot be read', () => {
  it('is given out as text', async () => {
    const { scheduler, alarms } = scriptedWorker({ answer: 'hello' })
    const push = vi.spyOn(AnswerText.prototype, 'push').mockImplementation(() => {
      throw new Error('a mistake')
    })
    const { text, meter, last } = await run(scheduler, request('hi')).finally(() =>
      push.mockRestore(),
    )
    expect([text, meter?.outputTokens, last]).toMatchObject(['hello', 5, { finishReason: 'stop' }])
    expect(alarms).toEqual([expect.stringContaining('failed to parse answer')])
  })
})
