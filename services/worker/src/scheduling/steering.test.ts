import type { AnswerPlan, Thinking } from '@svc/contracts/worker/protocol'
import { describe, expect, it } from 'vitest'
import { bytes } from '../engines/scripted/byte-vocabulary.ts'
import { type Script, scriptedEngine } from '../engines/scripted/scripted-engine.ts'
import { GrammarBans } from './grammar-bans.ts'
import { type AnswerProgress, Steering } from './steering.ts'

const MARKERS = { open: '<think>\n', close: '\n</think>\n\n', answer: 'SAY:' }
const FREE: AnswerPlan = { grammar: null, grammarFrom: 'answer', callable: [], mustCall: false }
const JSON_ANSWER: AnswerPlan = { ...FREE, grammar: 'root ::= json' }
const CALLS: AnswerPlan = {
  grammar: 'root ::= call',
  grammarFrom: 'tool_call',
  callable: ['f'],
  mustCall: false,
}
const OFF: Thinking = { enabled: false, effort: 'medium', budgetTokens: null }
const ON: Thinking = { ...OFF, enabled: true }

interface Case {
  readonly plan?: AnswerPlan
  readonly thinking?: Thinking
  readonly progress?: Partial<AnswerProgress>
  readonly script?: Script
}

function steer({ plan = FREE, thinking = OFF, progress = {}, script = {} }: Case) {
  const engine = scriptedEngine(script)
  const bans = new GrammarBans(engine.vocabulary, [])
  const answer = { phase: 'answer', callText: '', reasoningTokens: 0, ...progress }
  const mutable = answer as { -readonly [Field in keyof AnswerProgress]: AnswerProgress[Field] }
  const steering = new Steering({
    engine,
    tenant: 'acct_1',
    plan,
    thinking,
    markers: MARKERS,
    answer: mutable,
    bans,
  })
  const text = (tokens: readonly number[]) => engine.vocabulary.detokenize(tokens, [])
  return {
    steering,
    started: engine.started,
    /** What is forced next, taken into the answer. */
    force(ends = false, then: Partial<AnswerProgress> = {}): string {
      const due = steering.due(ends)
      due.forEach((token, index) => {
        if (index === due.length - 1) Object.assign(mutable, then)
        steering.took(token)
      })
      return text(due)
    },
    /** The model writes a text, after which the reader has come this far. */
    write(written: string, then: Partial<AnswerProgress> = {}): void {
      const tokens = bytes(written)
      tokens.forEach((token, index) => {
        if (index === tokens.length - 1) Object.assign(mutable, then)
        steering.took(token)
      })
    },
  }
}

describe('a grammar from the answer on', () => {
  it('holds from the first token where nothing is thought', () => {
    const { steering, force } = steer({ plan: JSON_ANSWER })
    expect([steering.grammar?.grammar, force()]).toEqual(['root ::= json', ''])
  })

  it('makes a model that may think open its thinking, and holds when it has closed it', () => {
    const { steering, started, force, write } = steer({ plan: JSON_ANSWER, thinking: ON })
    expect(force(false, { phase: 'reasoning' })).toBe(MARKERS.open)
    write('hm\n</think>', { phase: 'answer' })
    expect(steering.grammar).toBeNull()
    expect(force()).toBe('\n\n')
    expect(started).toEqual([{ grammar: 'root ::= json', begun: '', drawn: [] }])
    expect([steering.grammar?.grammar, force()]).toEqual(['root ::= json', ''])
  })

  it('holds after thinking that the prompt had opened', () => {
    const progress = { phase: 'reasoning' } as const
    const { steering, force, write } = steer({ plan: JSON_ANSWER, thinking: ON, progress })
    expect([steering.grammar, force()]).toEqual([null, ''])
    write('hm\n</think>\n\n', { phase: 'answer' })
    expect(force()).toBe('')
    expect(steering.grammar).not.toBeNull()
  })

  it('holds after thinking that ends with its first token', () => {
    const progress = { phase: 'reasoning' } as const
    const { steering, force, write } = steer({ plan: JSON_ANSWER, thinking: ON, progress })
    write('>', { phase: 'answer' })
    expect([steering.grammar?.grammar, force()]).toEqual(['root ::= json', ''])
  })

  it('takes in what came of the answer together with the end of the thinking', () => {
    const { started, write } = steer({
      plan: JSON_ANSWER,
      thinking: ON,
      progress: { phase: 'reasoning' },
    })
    write('hm\n</think>\n\n{"a', { phase: 'answer' })
    expect(started).toEqual([{ grammar: 'root ::= json', begun: '{"a', drawn: [] }])
  })

  it('lets no answer begin against it', () => {
    const { write } = steer({
      plan: JSON_ANSWER,
      thinking: ON,
      progress: { phase: 'reasoning' },
      script: { mayBegin: (begun) => begun === '' },
    })
    expect(() => write('hm\n</think>\n\nSure', { phase: 'answer' })).toThrow(/against its grammar/)
  })

  it('lets no answer end in thinking', () => {
    const { steering, force } = steer({
      plan: JSON_ANSWER,
      thinking: ON,
      progress: { phase: 'reasoning' },
    })
    expect(force(true, { phase: 'answer' })).toBe(MARKERS.close)
    expect(steering.grammar).not.toBeNull()
  })
})

describe('a grammar from the call on', () => {
  it('holds from the call on, with what is there of it', () => {
    const { steering, started, write } = steer({ plan: CALLS })
    write('Let me see. ')
    expect(steering.grammar).toBeNull()
    write('<call>{', { phase: 'call', callText: '<call>{' })
    expect(started).toEqual([{ grammar: 'root ::= call', begun: '<call>{', drawn: [] }])
    write('}', { phase: 'answer', callText: '' })
    expect(steering.grammar).not.toBeNull()
  })

  it('is tried once for each call', () => {
    const asked: string[] = []
    const mayBegin = (begun: string) => {
      asked.push(begun)
      return begun === '<call>'
    }
    const script = { mayBegin }
    const { steering, write } = steer({ plan: CALLS, script })
    write('<call>x', { phase: 'call', callText: '<call>x' })
    write('y', { phase: 'call', callText: '<call>xy' })
    write(' ', { phase: 'answer', callText: '' })
    expect([asked, steering.grammar]).toEqual([['<call>x'], null])
    write('<call>', { phase: 'call', callText: '<call>' })
    expect(steering.grammar).not.toBeNull()
  })
})

describe('thinking', () => {
  const within = (reasoningTokens: number) => ({ phase: 'reasoning', reasoningTokens }) as const

  it('is closed at its budget, once, and the answer is begun', () => {
    const thinking = { ...ON, budgetTokens: 8 }
    expect(steer({ thinking, progress: within(7) }).force()).toBe('')
    const { force } = steer({ thinking, progress: within(8) })
    expect(force()).toBe(MARKERS.close + MARKERS.answer)
    expect(force()).toBe('')
  })

  it('is closed at its budget and leaves the rest to the model where it may call', () => {
    const thinking = { ...ON, budgetTokens: 8 }
    expect(steer({ thinking, progress: within(9), plan: CALLS }).force()).toBe(MARKERS.close)
  })

  it('without a budget goes on', () => {
    expect(steer({ thinking: ON, progress: within(100_000) }).force()).toBe('')
  })

  it('that is not wanted is closed where it opens', () => {
    expect(steer({ progress: within(0) }).force()).toBe(MARKERS.close + MARKERS.answer)
  })

  it('may be the end of a free answer', () => {
    expect(steer({ thinking: ON, progress: within(3) }).force(true)).toBe('')
  })
})
