import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { beginOfText, byteVocabulary, imEnd, imStart } from '../engines/scripted/byte-vocabulary.ts'
import { GrammarBans, unfinishedCharacter } from './grammar-bans.ts'

const marker = '[TOOL_CALLS]'
const bans = new GrammarBans(byteVocabulary({ control: [marker] }), [marker])
const markerToken = 259

const isText = (bytes: readonly number[]): boolean =>
  Buffer.from(Buffer.from(bytes).toString('utf8'), 'utf8').equals(Buffer.from(bytes))

/** Whether every byte may be drawn after those before it. */
const mayBeDrawn = (bytes: readonly number[]): boolean =>
  bytes.every((byte, index) => {
    const unfinished = unfinishedCharacter(bytes.slice(0, index))
    return !bans.after(unfinished).includes(byte)
  })

describe('under a grammar', () => {
  it('control tokens are not drawn, but for those that are read or end the answer', () => {
    const banned = bans.after([])
    expect(banned).toEqual(expect.arrayContaining([imStart, beginOfText]))
    expect(banned).not.toContain(markerToken)
    expect(banned).not.toContain(imEnd)
  })

  it('every text can be drawn', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(mayBeDrawn([...Buffer.from(text.toWellFormed(), 'utf8')])).toBe(true)
      }),
    )
  })

  it('no character can be drawn in another way than its own', () => {
    const lead = fc.integer({ min: 0xc0, max: 0xff })
    const continuation = fc.integer({ min: 0x80, max: 0xbf })
    fc.assert(
      fc.property(lead, fc.array(continuation, { minLength: 3, maxLength: 3 }), (first, rest) => {
        const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
        const bytes = [first, ...rest].slice(0, length)
        expect(mayBeDrawn(bytes)).toBe(isText(bytes))
      }),
      { numRuns: 2000 },
    )
  })

  it('a token of broken bytes is not drawn', () => {
    const pieces = [
      [0xe0, 0x90],
      [0x80, 0x80, 0x80, 0x80],
      [0x41, 0xc0],
      [0xd0, 0x41],
      [0xbe, 0x41, 0xe2],
    ]
    const vocabulary = {
      ...byteVocabulary(),
      size: pieces.length,
      bytes: (token: number) => pieces[token] ?? [],
      detokenize: () => '\uFFFD',
      controlText: () => '',
    }
    expect(new GrammarBans(vocabulary, []).after([])).toEqual([0, 1, 2, 3])
  })
})
