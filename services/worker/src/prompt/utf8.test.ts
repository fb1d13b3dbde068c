import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytes, byteVocabulary, imStart } from '../engines/scripted/byte-vocabulary.ts'
import { TokenText } from './utf8.ts'

const pieces = (tokens: readonly number[]) => {
  const text = new TokenText(byteVocabulary())
  return [...tokens.map((token) => text.push(token)), text.end()]
}

/** Tokens that stand for some bytes each. */
function cutIntoTokens(whole: Buffer, lengths: readonly number[]): readonly Buffer[] {
  const cut: Buffer[] = []
  for (let at = 0; at < whole.length; ) {
    const end = at + (lengths[cut.length % lengths.length] ?? 1)
    cut.push(whole.subarray(at, end))
    at = end
  }
  return cut
}

function vocabularyOf(tokens: readonly Buffer[]) {
  const asked: { readonly tokens: readonly number[]; readonly context: readonly number[] }[] = []
  const detokenize = (held: readonly number[], context: readonly number[]) => {
    asked.push({ tokens: [...held], context: [...context] })
    return Buffer.concat(held.map((token) => tokens[token] ?? Buffer.of())).toString('utf8')
  }
  return { vocabulary: { ...byteVocabulary(), controlText: () => '', detokenize }, asked }
}

describe('text of tokens', () => {
  it('comes as soon as its characters are whole, wherever tokens cut them', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
    const lengths = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(text, lengths, (text, lengths) => {
        fc.pre(!text.includes('\uFFFD'))
        const tokens = cutIntoTokens(Buffer.from(text), lengths)
        const reading = new TokenText(vocabularyOf(tokens).vocabulary)
        const whole = new TextDecoder('utf-8', { ignoreBOM: true })
        for (const [token, bytes] of tokens.entries()) {
          expect(reading.push(token)).toBe(whole.decode(bytes, { stream: true }))
        }
        expect(reading.end()).toBe('')
      }),
    )
  })

  it('is all of it where bytes are broken, each piece once', () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 8 })
    const bits = fc.constantFrom('61', 'c3', 'a9', 'e2', '82', 'ac', 'f0', '9f', '98', '80', 'ff')
    fc.assert(
      fc.property(fc.array(bits, { maxLength: 60 }), lengths, (bits, lengths) => {
        const whole = Buffer.from(bits.join(''), 'hex')
        const tokens = cutIntoTokens(whole, lengths)
        const reading = new TokenText(vocabularyOf(tokens).vocabulary)
        const read = tokens.map((_, token) => reading.push(token))
        expect(read.join('') + reading.end()).toBe(whole.toString('utf8'))
      }),
    )
  })

  it('is told with the last four tokens before it, for rules about spaces', () => {
    const tokens = ['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => Buffer.from(letter))
    const { vocabulary, asked } = vocabularyOf([...tokens, Buffer.from([0xe2]), Buffer.of()])
    const reading = new TokenText(vocabulary)
    for (const token of [0, 1, 2, 3, 4, 5, 6, 7]) reading.push(token)
    expect(asked.map(({ context }) => context)).toEqual([
      ...[[], [0], [0, 1], [0, 1, 2], [0, 1, 2, 3], [1, 2, 3, 4]],
      ...[
        [2, 3, 4, 5],
        [2, 3, 4, 5],
      ],
    ])
    expect(asked.map((each) => each.tokens).slice(-2)).toEqual([[6], [6, 7]])
  })

  it('has the texts of control tokens that are asked for, after what was held back', () => {
    const read = (markers?: readonly string[] | null) => {
      const text = new TokenText(byteVocabulary(), markers)
      const pushed = [...bytes('a€').slice(0, -1), imStart, ...bytes('b')].map((each) =>
        text.push(each),
      )
      return pushed.join('') + text.end()
    }
    expect(read(null)).toBe('a\uFFFD<|im_start|>b')
    expect(read(['<|im_start|>'])).toBe('a\uFFFD<|im_start|>b')
    expect([read(['<|im_end|>']), read()]).toEqual(['a\uFFFDb', 'a\uFFFDb'])
  })

  it('holds a character back until its last byte is there', () => {
    expect(pieces(bytes('€!'))).toEqual(['', '', '€', '!', ''])
  })

  it('is the whole text for any Unicode, and no piece has half a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        fc.pre(!text.includes('\uFFFD'))
        const all = pieces(bytes(text))
        expect(all.join('')).toBe(text)
        expect(all.every((piece) => piece.isWellFormed() && !piece.includes('\uFFFD'))).toBe(true)
      }),
    )
  })

  it('gives out what stays incomplete at the end as U+FFFD', () => {
    expect(pieces(bytes('a€').slice(0, -1)).join('')).toBe('a\uFFFD')
  })

  it('does not hold back text for ever when a model writes broken bytes only', () => {
    const text = new TokenText(byteVocabulary())
    const given = Array.from({ length: 200 }, () => text.push(0x80)).join('')
    expect(given.length).toBeGreaterThan(100)
  })

  it('gives out a replacement character that the model means', () => {
    expect(pieces(bytes('a\uFFFDb')).join('')).toBe('a\uFFFDb')
  })
})
