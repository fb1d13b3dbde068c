import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  anyTokenSchedule,
  canonicalSchedule,
  type PromptBatches,
  withoutShortPrompts,
} from './prompt-schedule.ts'

const place = fc.record({ from: fc.nat(3_000), tokens: fc.integer({ min: 1, max: 3_000 }) })

/** The sizes of the batches that a part of a prompt is computed in. */
function batches({ batchEnd }: PromptBatches, from: number, end: number): readonly number[] {
  const sizes: number[] = []
  for (let begin = from; begin < end; ) {
    const to = batchEnd(begin, end)
    sizes.push(to - begin)
    begin = to
  }
  return sizes
}

describe('batches of a long prompt that can be cut anywhere', () => {
  it.each([64, 128])('of %i tokens have 64 to 128 rows, a multiple of 4', (chunkTokens) => {
    const { long } = anyTokenSchedule(chunkTokens).batches
    fc.assert(
      fc.property(place, ({ from, tokens }) => {
        const sizes = batches(long, from, from + tokens)
        for (const size of sizes) {
          const rows = long.rowsOf(size)
          expect(rows).toBeGreaterThanOrEqual(Math.max(64, size))
          expect(rows).toBeLessThanOrEqual(128)
          expect(rows % 4).toBe(0)
        }
        expect(sizes.slice(0, -2).every((size) => size === chunkTokens)).toBe(true)
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(tokens)
      }),
    )
  })

  it('share a rest of less than 64 with a last chunk of 128', () => {
    const { long } = anyTokenSchedule(128).batches
    const sizes = (tokens: number) => batches(long, 10, 10 + tokens)
    expect(sizes(128)).toEqual([128])
    expect(sizes(140)).toEqual([72, 68])
    expect(sizes(129 + 128)).toEqual([128, 68, 61])
    expect(sizes(192)).toEqual([128, 64])
  })

  it('take a small rest with the last chunk', () => {
    const { long } = anyTokenSchedule(64).batches
    const sizes = (tokens: number) => batches(long, 10, 10 + tokens)
    expect(sizes(96)).toEqual([96])
    expect(sizes(97)).toEqual([64, 33])
    expect(sizes(150)).toEqual([64, 86])
  })
})

describe('batches of a short prompt that can be cut anywhere', () => {
  const schedule = anyTokenSchedule(64)
  const { short } = schedule.batches

  it('have 4 to 32 rows, a multiple of 4, also where its answer is computed again', () => {
    fc.assert(
      fc.property(place, ({ from, tokens }) => {
        const sizes = batches(short, from, from + tokens)
        for (const size of sizes) {
          const rows = short.rowsOf(size)
          expect(rows).toBeGreaterThanOrEqual(Math.max(4, size))
          expect(rows).toBeLessThanOrEqual(32)
          expect(rows % 4).toBe(0)
        }
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(tokens)
      }),
    )
  })

  it('are for prompts of up to 32 tokens and their last', () => {
    expect([0, 1, 32, 33, 3_000].map(schedule.kindOf)).toEqual([
      ...['short', 'short', 'short', 'long', 'long'],
    ])
    expect(batches(short, 0, schedule.shortTokensMax)).toEqual([32])
    expect([1, 32].map(withoutShortPrompts(schedule).kindOf)).toEqual(['long', 'long'])
    expect(canonicalSchedule(64).kindOf(1)).toBe('long')
  })
})

describe('batches of a prompt that is cut at whole blocks', () => {
  it('end at multiples of their size, and are not filled up', () => {
    const { long } = canonicalSchedule(64).batches
    expect(batches(long, 128, 300)).toEqual([64, 64, 44])
    expect(long.rowsOf(44)).toBe(44)
  })
})
