import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytes } from '../engines/scripted/byte-vocabulary.ts'
import { AnswerText, type AnswerTextParts } from './answer-text.ts'
import { chooseFamily } from './families/choose-family.ts'
import { type TemplateName, templateText, vocabulary } from './families/fixtures/conversations.ts'

/** Tokens of the text, with control tokens where their texts stand. */
const tokensOf = (text: string) => vocabulary.tokenize(text, true, false)

function answerText(name: TemplateName, parts: Partial<AnswerTextParts> = {}): AnswerText {
  const family = chooseFamily(templateText(name))
  const callable = ['get_weather']
  return new AnswerText({
    vocabulary,
    family,
    prompt: [],
    stops: [],
    callable,
    mustCall: false,
    ...parts,
  })
}

function read(answer: AnswerText, tokens: readonly number[]) {
  const steps = []
  for (const token of tokens) {
    steps.push(answer.push(token))
    if (steps.at(-1)?.stopText !== null) break
  }
  if (steps.at(-1)?.stopText === null || steps.length === 0) steps.push(answer.end(false))
  const pieces = steps.flatMap((step) => step.pieces)
  const of = (kind: string) =>
    pieces.flatMap((piece) => (piece.kind === kind && 'text' in piece ? [piece.text] : [])).join('')
  const drawn = pieces.flatMap((piece) => (piece.kind === 'text' ? piece.drawn : []))
  return { pieces, of, drawn, stopText: steps.at(-1)?.stopText }
}

const call = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "END"}}\n</tool_call>'

describe('the text of an answer', () => {
  it('has thinking, text and calls apart', () => {
    const { pieces, of } = read(answerText('qwen3'), tokensOf(`<think>hm</think>\n\nA: ${call}B`))
    expect(of('reasoning')).toBe('hm')
    expect(of('text')).toBe('A:B')
    expect(of('arguments')).toBe('{"city": "END"}')
    expect(pieces.filter(({ kind }) => kind === 'call')).toEqual([
      { kind: 'call', name: 'get_weather' },
    ])
  })

  it('ends at a stop text, but not within thinking or a call', () => {
    const stops = ['END']
    const within = read(answerText('qwen3', { stops }), tokensOf(`<think>END</think>${call}`))
    expect(within.stopText).toBeNull()
    const after = read(answerText('qwen3', { stops }), tokensOf(`${call}one END two`))
    expect([after.stopText, after.of('text')]).toEqual(['END', 'one '])
  })

  it('has no stop text that a call stands in the middle of', () => {
    const answer = answerText('qwen3', { stops: ['END'] })
    const { stopText, pieces } = read(answer, tokensOf(`aE${call}ND`))
    expect(stopText).toBeNull()
    const order = pieces.map((piece) => (piece.kind === 'text' ? piece.text : piece.kind))
    expect(order.join('')).toBe(`aEcall${'arguments'.repeat(15)}ND`)
  })

  it('leaves out control tokens that are no syntax of the family', () => {
    const { of } = read(answerText('qwen3'), tokensOf('a<|im_start|>b[ARGS]c'))
    expect(of('text')).toBe('abc')
  })

  it('knows from the prompt that thinking has begun', () => {
    const prompt = tokensOf('<|im_start|>assistant\n<think>\n')
    const answer = answerText('qwen3', { prompt })
    expect(answer.phase).toBe('reasoning')
    expect(read(answer, tokensOf('hm</think>Yes')).of('reasoning')).toBe('hm')
    expect(answer.phase).not.toBe('reasoning')
  })

  it('knows from which moment on a call is made', () => {
    const answer = answerText('qwen3')
    for (const token of tokensOf('Hm\n')) answer.push(token)
    expect([answer.phase, answer.callText]).toEqual(['answer', ''])
    for (const token of tokensOf('<tool_call>')) answer.push(token)
    expect([answer.phase, answer.callText]).toEqual(['call', '<tool_call>'])
  })
})

describe('tokens of thinking', () => {
  const count = (name: TemplateName, text: string, prompt = '') => {
    const answer = answerText(name, { prompt: tokensOf(prompt) })
    read(answer, tokensOf(text))
    return answer.reasoningTokens
  }

  it('include those of its markers', () => {
    expect(count('qwen3', '<think>hm so</think>Yes.')).toBe(7)
    expect(count('qwen3', 'hm</think>Yes', '<think>')).toBe(3)
    expect(count('gpt-oss', '<|channel|>analysis<|message|>hm<|end|><|start|>assistant')).toBe(13)
  })

  it('include those of markers that come in pieces', () => {
    const answer = answerText('qwen3')
    read(answer, [...bytes('<think>hm</think>'), ...bytes('Yes')])
    expect(answer.reasoningTokens).toBe('<think>hm</think>'.length)
  })

  it('are none in an answer that only looks like thinking, or speaks of it', () => {
    expect(count('qwen3', '<thank you')).toBe(0)
    expect(count('qwen3', 'The tag <think> opens, </think> closes')).toBe(0)
    expect(count('gpt-oss', '<|channel|>final<|message|>Yes')).toBe(0)
  })

  it('are all that were drawn when it was cut off', () => {
    expect(count('qwen3', '<think>hm')).toBe(3)
  })
})

describe('the tokens that a text is made of', () => {
  it('are those whose characters it has, each in one piece only', () => {
    const { pieces } = read(answerText('qwen3'), [...tokensOf('<think>a</think>'), ...bytes('€b')])
    expect(pieces.filter(({ kind }) => kind === 'text')).toEqual([
      { kind: 'text', text: '€', drawn: [3, 4, 5] },
      { kind: 'text', text: 'b', drawn: [6] },
    ])
  })

  it('are not those of calls, nor of what a stop text took away', () => {
    const answer = answerText('qwen3', { stops: ['!'] })
    const tokens = [...bytes('a'), ...tokensOf(call), ...bytes('bc!d')]
    const { drawn } = read(answer, tokens)
    const [a, b, c] = [0, 1, 2].map((at) => (at === 0 ? 0 : tokens.length - 5 + at))
    expect(drawn).toEqual([a, b, c])
  })

  it('are all tokens, in their order, when there is nothing but text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.string()), (text, stops) => {
        const tokens = bytes(text)
        const used = stops.filter((stop) => stop !== '' && !text.includes(stop))
        const { drawn, of } = read(answerText('mistral-nemo', { stops: used }), tokens)
        expect(of('text')).toBe(text)
        expect(drawn).toEqual(tokens.map((_, index) => index))
      }),
    )
  })
})

it('tells from which token on a text is still to come', () => {
  const answer = answerText('qwen3', { stops: ['END'] })
  const tokens = tokensOf(`<think>${'hm '.repeat(20)}</think>abc E${call}`)
  const behind = tokens.map((token, place) => place + 1 - answer.push(token).shownFrom)
  // Held back are a tag, a stop text and the head of a call; of what is shown nothing is.
  expect(Math.max(...behind)).toBeLessThan(tokensOf(call).length)
  expect(behind.at(tokensOf(`<think>${'hm '.repeat(20)}`).length - 1)).toBeLessThanOrEqual(2)
  expect(behind.at(tokensOf(`<think>${'hm '.repeat(20)}</think>abc`).length - 1)).toBe(0)
  answer.end(false)
})
