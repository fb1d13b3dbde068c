import { atOnce } from '@svc/infra/turns/slices'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { boundsOf, type Counting, PromptTooLong, refuseFarTooLong } from './prompt-length.ts'

const CONTEXT = 100

/** A token for every `unitsPerToken` UTF-16 units of a text. It notes what it was given. */
function counting(unitsPerToken: number, longestTokenUnits = unitsPerToken) {
  const given: string[] = []
  const vocabulary: Counting = {
    longestTokenUnits,
    tokenize(text) {
      given.push(text)
      return Array(Math.ceil(text.length / unitsPerToken)).fill(0)
    },
  }
  return { vocabulary, given }
}

function refusal(
  texts: readonly string[],
  vocabulary: Counting,
  isCount = false,
): PromptTooLong['length'] | null {
  try {
    atOnce(refuseFarTooLong(texts, boundsOf(CONTEXT, isCount), vocabulary))
    return null
  } catch (error) {
    if (!(error instanceof PromptTooLong)) throw error
    return error.length
  }
}

describe('a prompt that is far too long', () => {
  it('is refused without a look at it where its longest token proves it', () => {
    const { vocabulary, given } = counting(4, 13)
    const texts = ['a'.repeat(1_000_000), 'b'.repeat(1_000_000)]
    expect(refusal(texts, vocabulary)).toEqual({
      tokens: Math.ceil(2_000_000 / 13),
      isLowerBound: true,
      contextSize: CONTEXT,
    })
    expect(given).toEqual([])
  })

  it('is counted no further than it takes', () => {
    const { vocabulary, given } = counting(4, 1_000_000)
    const length = refusal(['a'.repeat(10_000_000)], vocabulary)
    expect(length?.tokens).toBeGreaterThan(CONTEXT)
    expect(given.join('').length).toBeLessThanOrEqual(16 * 1024)
  })

  it('is counted in slices, a piece in each', () => {
    const { vocabulary, given } = counting(100)
    const texts = ['a'.repeat(60_000), 'b'.repeat(60_000)]
    const bounds = { contextSize: CONTEXT, tokensMax: 10_000 }
    for (const _slice of refuseFarTooLong(texts, bounds, vocabulary)) {
      expect(given.splice(0).join('').length).toBeLessThanOrEqual(16 * 1024)
    }
    expect(given).toEqual([])
  })

  it('that may fit all the same is let through: of long tokens, or not that long', () => {
    expect(refusal(['a'.repeat(6_401)], counting(128).vocabulary)).toBeNull()
    const { vocabulary, given } = counting(1)
    expect(refusal(['a'.repeat(400)], vocabulary)).toBeNull()
    expect(given).toEqual([])
  })

  it('is refused from four units on for each token, which usual text has', () => {
    expect(refusal(['a'.repeat(401)], counting(1).vocabulary)?.tokens).toBeGreaterThan(CONTEXT)
    expect(refusal(['a'.repeat(401)], counting(5).vocabulary)).toBeNull()
  })

  it('is counted up to 16 contexts where nothing but the count is asked for', () => {
    const { vocabulary } = counting(1)
    expect(refusal(['a'.repeat(6_400)], vocabulary, true)).toBeNull()
    expect(refusal(['a'.repeat(6_401)], vocabulary, true)).toMatchObject({ isLowerBound: true })
  })

  it('is told no longer than it is, and is never cut within a character', () => {
    const text = fc.string({ unit: 'binary', minLength: 0, maxLength: 40_000 })
    fc.assert(
      fc.property(
        fc.array(text, { maxLength: 6 }),
        fc.integer({ min: 1, max: 200 }),
        (texts, n) => {
          const { vocabulary, given } = counting(n, 100_000)
          const whole = texts.reduce((sum, each) => sum + Math.ceil(each.length / n), 0)
          const length = refusal(texts, vocabulary)
          if (length !== null) expect(length.tokens).toBeLessThanOrEqual(whole)
          if (whole <= CONTEXT) expect(length).toBeNull()
          expect(given.every((each) => each.isWellFormed())).toBe(true)
        },
      ),
      { numRuns: 200 },
    )
  })
})
