import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytes, byteVocabulary } from '../engines/scripted/byte-vocabulary.ts'
import { TokenText } from './utf8.ts'

const pieces = (tokens: readonly number[]) => {
  const text = new TokenText(byteVocabulary())
  return [...tokens.map((token) => text.push(token)), text.end()]
}

describe('text of tokens', () => {
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
