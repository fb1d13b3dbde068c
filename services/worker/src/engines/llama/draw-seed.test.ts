import fc from 'fast-check'
import { expect, it } from 'vitest'
import { drawSeed } from './draw-seed.ts'

const SEEDS = 2 ** 32
const seed = fc.integer({ min: 0, max: SEEDS - 1 })
const place = fc.integer({ min: 0, max: 1_000_000 })

it('gives seeds that llama.cpp takes as they are', () => {
  fc.assert(
    fc.property(seed, place, (one, at) => {
      const drawn = drawSeed(one, at)
      expect(Number.isInteger(drawn) && drawn >= 0 && drawn < SEEDS - 1).toBe(true)
      expect(drawSeed(one, at)).toBe(drawn)
    }),
  )
})

it('gives each place of an answer, and each answer, a seed of its own', () => {
  for (const one of [0, 1, 7, SEEDS - 1]) {
    const seeds = Array.from({ length: 10_000 }, (_, at) => drawSeed(one, at))
    expect(new Set(seeds).size).toBe(seeds.length)
  }
  const firsts = Array.from({ length: 10_000 }, (_, one) => drawSeed(one, 0))
  expect(new Set(firsts).size).toBe(firsts.length)
})

it('spreads the seeds of neighbours evenly', () => {
  const SHARES = 16
  const counts = new Array<number>(SHARES).fill(0)
  for (let at = 0; at < 16_000; at += 1) {
    const share = Math.floor((drawSeed(1, at) / SEEDS) * SHARES)
    counts[share] = (counts[share] ?? 0) + 1
  }
  for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(150)
})
