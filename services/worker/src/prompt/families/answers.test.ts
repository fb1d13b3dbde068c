import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseFamily } from './choose-family.ts'
import { answers, hermesCall, noCalls, oslo, weather } from './fixtures/answers.ts'
import { type TemplateName, templateNames, templateText } from './fixtures/conversations.ts'
import { readAnswer, textsOf } from './fixtures/reading.ts'

/** Bits of the syntax of all families, right and wrong. */
const bits = [
  ...['<think>', '</think>', '<tool_call>', '</tool_call>', '[TOOL_CALLS]', '[ARGS]', '[CALL_ID]'],
  ...['<|channel|>', '<|message|>', '<|end|>', '<|start|>assistant', ' to=functions.get_weather'],
  ...['<｜tool▁calls▁begin｜>', '<｜tool▁call▁begin｜>', '<｜tool▁sep｜>', '<｜tool▁call▁end｜>'],
  ...['{"name": "get_weather", "arguments": ', '{"name": "get_weather", "parameters": ', '"name"'],
  ...['{', '}', '[', ']', ',', ';', ':', '"', '\\', ' ', '\n', 'a', '1', '<', '```json\n', '<|'],
  ...['get_weather', 'rm', oslo, hermesCall, 'analysis', 'commentary', 'final', ' '.repeat(70)],
  ' '.repeat(1020),
]
const noise = fc.array(fc.constantFrom(...bits), { maxLength: 16 }).map((each) => each.join(''))
/** Right answers, one after another, with something taken out and put in here and there. */
const spoilt = fc
  .tuple(
    fc.array(fc.constantFrom(...Object.values(answers).map(([, text]) => text)), { maxLength: 3 }),
    fc.array(fc.tuple(fc.nat({ max: 400 }), fc.nat({ max: 12 }), fc.constantFrom('', ...bits)), {
      maxLength: 3,
    }),
  )
  .map(([texts, edits]) =>
    edits.reduce(
      (text, [place, length, bit]) => text.slice(0, place) + bit + text.slice(place + length),
      texts.join(''),
    ),
  )
const answer = fc.oneof(noise, spoilt)
const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 12 })
const template = fc.constantFrom(...templateNames)

function cutAt(text: string, places: readonly number[]): string[] {
  const sorted = [...new Set(places.filter((place) => place < text.length))].sort((a, b) => a - b)
  return [0, ...sorted].map((place, index) => text.slice(place, sorted[index] ?? text.length))
}

describe('reading an answer', () => {
  for (const [name, [family, text, parts, reasoning = '']] of Object.entries(answers)) {
    it(`${name}, however it is cut`, () => {
      expect(readAnswer(family, [text])).toEqual({ reasoning, parts })
      expect(readAnswer(family, [...text])).toEqual({ reasoning, parts })
      fc.assert(
        fc.property(cuts, (places) => {
          expect(readAnswer(family, cutAt(text, places))).toEqual({ reasoning, parts })
        }),
        { numRuns: 40 },
      )
    })
  }

  it.each(noCalls)('takes %s for text', (text) => {
    expect(readAnswer('qwen3', [text]).parts).toEqual([text])
    expect(readAnswer('qwen3', [...text]).parts).toEqual([text])
  })

  it('gives the same parts of anything, however it is cut', () => {
    fc.assert(
      fc.property(template, answer, cuts, fc.boolean(), (family, text, places, inReasoning) => {
        const whole = readAnswer(family, [text], { inReasoning })
        expect(readAnswer(family, cutAt(text, places), { inReasoning })).toEqual(whole)
        expect(readAnswer(family, [...text], { inReasoning })).toEqual(whole)
      }),
      { numRuns: 3000 },
    )
  })

  it('takes nothing out of the text when no tool may be called', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('qwen3', 'llama-like', 'mistral-nemo'),
        answer,
        (family, text) => {
          fc.pre(!/^\s{0,1024}<\/?think>/.test(text))
          const parts = text === '' ? [] : [text]
          expect(readAnswer(family, [...text], { callable: [] })).toEqual({ reasoning: '', parts })
        },
      ),
    )
  })

  it('says where in the answer each text came from', () => {
    fc.assert(
      fc.property(template, answer, (name, text) => {
        const family = chooseFamily(templateText(name))
        const reader = family.answerReader({
          callable: ['get_weather'],
          mustCall: false,
          inReasoning: false,
        })
        const pieces = [...[...text].flatMap((unit) => reader.push(unit)), ...reader.end(false)]
        let end = 0
        for (const piece of pieces) {
          if (piece.kind === 'call') continue
          expect(piece.from).toBeGreaterThanOrEqual(end)
          end = piece.from + piece.text.length
          if (piece.kind === 'text') expect(text.slice(piece.from, end)).toBe(piece.text)
        }
      }),
    )
  })

  it('holds back no more than it must', () => {
    const reader = chooseFamily(templateText('qwen3')).answerReader({
      callable: ['get_weather'],
      mustCall: false,
      inReasoning: false,
    })
    expect(textsOf(reader.push('Hello <b>'), 'text')).toBe('Hello <b>')
    expect(textsOf(reader.push(' and <tool'), 'text')).toBe(' and')
    expect(textsOf(reader.push('s>'), 'text')).toBe(' <tools>')
    expect(textsOf(reader.push(`<tool_call>{"name": "${'x'.repeat(20_000)}`), 'text')).not.toBe('')
  })

  it('holds back no more than a tail behind the arguments of a call', () => {
    const reader = chooseFamily(templateText('qwen3')).answerReader({
      callable: ['get_weather'],
      mustCall: false,
      inReasoning: false,
    })
    const rest = `, "id": "${'x'.repeat(2_000)}`
    reader.push(`<tool_call>{"name": "get_weather", "arguments": ${oslo}`)
    expect(textsOf(reader.push(rest), 'text')).toBe(rest)
  })

  it('holds back little of white space, however much comes', () => {
    const blanks = ' '.repeat(100)
    const begun: readonly (readonly [TemplateName, string])[] = [
      ...templateNames.flatMap((name) => [[name, ''] as const, [name, '<think>hm'] as const]),
      ['gpt-oss', '<|channel|>commentary to=functions.get_weather<|message|>'],
      ['gpt-oss', '<|channel|>analysis<|message|>hm'],
    ]
    for (const [name, beginning] of begun) {
      const reader = chooseFamily(templateText(name)).answerReader({
        callable: ['get_weather'],
        mustCall: false,
        inReasoning: false,
      })
      reader.push(beginning)
      for (let times = 0; times < 200; times += 1) reader.push(blanks)
      const [held = 0] = reader.end(false).map((piece) => ('text' in piece ? piece.text.length : 0))
      expect([name, beginning, held <= 1024]).toEqual([name, beginning, true])
    }
  })

  it('passes once over the white space behind what opens a call, and is none', () => {
    const space = ' '.repeat(16_000)
    for (const text of [`${space}x y`, `x[CALL_ID]${space}y z`]) {
      const answer = `[TOOL_CALLS]${text}`.repeat(200)
      expect(readAnswer('mistral-small-3.2', [answer]).parts).toEqual([answer])
    }
  }, 10_000)

  it('leaves out the beginning of a call that was cut off before its arguments', () => {
    const cut = (text: string) => readAnswer('qwen3', [text], { cut: true }).parts
    const call = 'Hi\n<tool_call>\n{"name": "get_weather", "arguments": '
    const opened = 'Hi\n<tool_call>'.length
    for (let length = opened; length <= call.length; length += 1) {
      expect(cut(call.slice(0, length))).toEqual(['Hi'])
    }
    expect(cut(`${hermesCall}\n<tool_call>\n{"na`)).toEqual([weather])
  })

  it('keeps text that was cut off where a call could have begun, but had not', () => {
    for (const [family, text] of [
      ['qwen3', 'a\n<tool_'],
      ['qwen3', 'a <tool_call>b'],
      ['qwen3', '<tool_call>{"name": "rm"'],
      ['llama-like', '{"name": "Ad'],
    ] as const) {
      expect(readAnswer(family, [text], { cut: true }).parts).toEqual([text])
    }
  })

  it('has no text of an answer that must be a call, wherever that was cut off', () => {
    for (const [name, [family, text, parts, reasoning]] of Object.entries(answers)) {
      if (reasoning !== undefined || parts.some((part) => typeof part === 'string')) continue
      for (let length = 0; length < text.length; length += 1) {
        const options = { mustCall: true, cut: true }
        const read = readAnswer(family, [text.slice(0, length)], options)
        const texts = read.parts.filter((part) => typeof part === 'string')
        expect(texts, `${name}: ${text.slice(0, length)}`).toEqual([])
      }
    }
  })

  it('makes up no arguments for a harmony call that was cut off before them', () => {
    const header = ' to=functions.get_weather<|channel|>commentary json<|message|>'
    expect(readAnswer('gpt-oss', [header], { cut: true }).parts).toEqual([])
    expect(readAnswer('gpt-oss', [header]).parts).toEqual([['get_weather', '{}']])
  })

  it('has of a call what was read of it, and nothing outside of one', () => {
    fc.assert(
      fc.property(template, answer, (name, text) => {
        const family = chooseFamily(templateText(name))
        const reader = family.answerReader({
          callable: ['get_weather'],
          mustCall: false,
          inReasoning: false,
        })
        let fed = ''
        for (const unit of text) {
          const before = reader.callText
          reader.push(unit)
          fed += unit
          const { phase, callText } = reader
          expect(callText !== '').toBe(phase === 'call')
          expect(fed.endsWith(callText)).toBe(true)
          if (before !== '' && callText.length > before.length) expect(callText).toBe(before + unit)
        }
      }),
    )
  })

  it('tells from when on a call is certain, and what was written of it', () => {
    const read = (name: TemplateName, text: string) => {
      const options = { callable: ['get_weather'], mustCall: false, inReasoning: false }
      const reader = chooseFamily(templateText(name)).answerReader(options)
      reader.push(text)
      return [reader.phase, reader.callText]
    }
    expect(read('qwen3', 'Hm.\n<tool_')).toEqual(['answer', ''])
    expect(read('qwen3', 'Hm.\n<tool_call>\n')).toEqual(['call', '<tool_call>\n'])
    expect(read('llama-like', '{"name": ')).toEqual(['answer', ''])
    expect(read('llama-like', '{"name": "get_weather", ')).toEqual([
      'call',
      '{"name": "get_weather", ',
    ])
    expect(read('mistral-small-3.2', 'a[TOOL_CALLS]g')).toEqual(['call', '[TOOL_CALLS]g'])
    const begun = '{"name": "get_weather", "parameters": {"city'
    expect(read('llama-like', begun)).toEqual(['call', begun])
    const tail = `<tool_call>{"name": "get_weather", "arguments": ${oslo}\n</to`
    expect(read('qwen3', `Hm.\n${tail}`)).toEqual(['call', tail])
    expect(read('qwen3', `${hermesCall}\n`)).toEqual(['answer', ''])
    expect(read('gpt-oss', '<|channel|>commentary to=functions.g')).toEqual([
      'call',
      '<|channel|>commentary to=functions.g',
    ])
    expect(read('gpt-oss', '<|channel|>ana')).toEqual(['undecided', ''])
  })
})
