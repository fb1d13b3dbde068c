import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PART_UNITS_MAX, partsOf } from './text-parts.ts'

describe('the parts of a long text', () => {
  it('are the text, each of a bounded length, and no character is cut', () => {
    const long = fc.array(fc.constantFrom('word ', '`', '😀', '\n', '  ', 'é', 'x'.repeat(999)), {
      maxLength: 400,
    })
    fc.assert(
      fc.property(long, (pieces) => {
        const text = pieces.join('').repeat(20)
        const parts = [...partsOf(text)]
        expect(parts.join('')).toBe(text)
        for (const part of parts) {
          expect(part.length).toBeGreaterThan(0)
          expect(part.length).toBeLessThanOrEqual(PART_UNITS_MAX)
          expect(part.isWellFormed()).toBe(true)
        }
      }),
      { numRuns: 30 },
    )
  })

  it('end before a word', () => {
    const parts = [...partsOf('two words, '.repeat(5_000))]
    expect(parts.length).toBeGreaterThan(3)
    for (const part of parts.slice(1)) expect(part).toMatch(/^ words/)
  })

  it('of a short text are one, and of none are none', () => {
    expect([...partsOf('a b')]).toEqual(['a b'])
    expect([...partsOf('')]).toEqual([])
  })
})
