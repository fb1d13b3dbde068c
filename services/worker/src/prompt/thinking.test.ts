import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ThinkingSplitter } from './thinking.ts'

function split(pieces: readonly string[], inReasoning = false) {
  const splitter = new ThinkingSplitter(inReasoning)
  const all = [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()]
  const of = (kind: string) => all.flatMap((each) => (each.kind === kind ? [each.text] : []))
  const { reasoningTokens } = splitter
  return { reasoning: of('reasoning').join(''), text: of('text').join(''), reasoningTokens }
}

describe('thinking', () => {
  it('is kept apart from the answer, and its tags belong to neither', () => {
    expect(split(['<think>', '\n', 'hm', ' so', '\n', '</think>', '\n\n', 'Yes', '.'])).toEqual({
      reasoning: 'hm so',
      text: 'Yes.',
      reasoningTokens: 6,
    })
  })

  it('counts every token of tags that come in pieces', () => {
    const pieces = ['<th', 'ink>', 'hm', '</th', 'ink>', 'Yes']
    expect(split(pieces)).toEqual({ reasoning: 'hm', text: 'Yes', reasoningTokens: 5 })
  })

  it('may have begun in the prompt', () => {
    const expected = { reasoning: 'hm', text: 'Yes', reasoningTokens: 2 }
    expect(split(['hm', '</think>', 'Yes'], true)).toEqual(expected)
  })

  it('that was cut off is reasoning', () => {
    const expected = { reasoning: 'hm </th', text: '', reasoningTokens: 3 }
    expect(split(['<think>', 'hm ', '</th'])).toEqual(expected)
  })

  it('is not found once the answer has begun', () => {
    const text = 'The tag <think> opens, </think> closes'
    expect(split([text])).toEqual({ reasoning: '', text, reasoningTokens: 0 })
  })

  it('is absent from an answer that merely starts like a tag', () => {
    expect(split(['<th', 'e>'])).toEqual({ reasoning: '', text: '<the>', reasoningTokens: 0 })
  })

  it('gives the same parts however the text was cut', () => {
    const unit = fc.constantFrom('<think>', '</think>', ' ', '\n', 'a', '<', '/')
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), (text) => {
        const { reasoning, text: answer } = split([text])
        const cut = split([...text])
        expect({ reasoning: cut.reasoning, text: cut.text }).toEqual({ reasoning, text: answer })
      }),
    )
  })
})
