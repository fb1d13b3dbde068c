import { describe, expect, test } from 'vitest'
import { attacks } from './attack-list.ts'
import { type AttackOutcome, brokenBounds, summaryOf, timed } from './siege.ts'
import { paceOf } from './victim.ts'

const calm = { requests: 100, failed: 0, failure: null, p50Ms: 10, p99Ms: 20 }
const held: AttackOutcome = {
  name: 'nothing',
  about: 'nothing happens',
  capacity: 100,
  pace: 25,
  before: calm,
  beside: { ...calm, p99Ms: 60 },
  p99Ratio: 3,
  gatewayMb: 1_024,
  workerMb: 500,
  workerRestarts: 0,
  attacker: { 402: 1 },
  bookProblems: [],
}

describe('the bounds of a siege', () => {
  test('hold at their edge', () => {
    expect(brokenBounds(held)).toEqual([])
  })

  test.each<[string, Partial<AttackOutcome>]>([
    ['a failed request', { beside: { ...calm, failed: 1, failure: '503' } }],
    ['one that failed before the attack', { before: { ...calm, failed: 1, failure: '503' } }],
    ['a slow customer', { p99Ratio: 3.01 }],
    ['a customer without one answer', { p99Ratio: Number.NaN }],
    ['memory', { gatewayMb: 1_025 }],
    ['a restart', { workerRestarts: 1 }],
    ['books that do not add up', { bookProblems: ['I2 req_1 is not what was told'] }],
  ])('are broken by %s', (_, change) => {
    expect(brokenBounds({ ...held, ...change })).toHaveLength(1)
  })

  test('are summed up over all attacks', () => {
    const worse = { ...held, p99Ratio: 4.567, gatewayMb: 2_000, workerRestarts: 2 }
    const broken = { ...held, beside: { ...calm, failed: 3, failure: '503' }, bookProblems: ['x'] }
    expect(summaryOf([held, worse, broken])).toEqual({
      attacks: 3,
      victim_requests: 300,
      victim_failed: 3,
      victim_p99_ratio_max: 4.57,
      gateway_rss_mb_max: 2_000,
      worker_restarts: 2,
      books_exact: false,
    })
  })
})

describe('an attack beside which the customer was slow', () => {
  const runsOf = (...outcomes: readonly Partial<AttackOutcome>[]) => {
    let next = 0
    return { run: async () => ({ ...held, ...outcomes[next++] }), made: () => next }
  }

  test('is made twice more, and the middle one counts', async () => {
    const { run, made } = runsOf({ p99Ratio: 27 }, { p99Ratio: 1.5 }, { p99Ratio: 2 })
    expect((await timed(run)).p99Ratio).toBe(2)
    expect(made()).toBe(3)
    const slow = runsOf({ p99Ratio: 4 }, { p99Ratio: 1.5 }, { p99Ratio: 5 })
    expect(brokenBounds(await timed(slow.run))).toHaveLength(1)
  })

  test('is made once when it was not slow', async () => {
    const { run, made } = runsOf({ p99Ratio: 2.9 })
    expect((await timed(run)).p99Ratio).toBe(2.9)
    expect(made()).toBe(1)
  })

  test('hides nothing but time by being made again', async () => {
    const { run } = runsOf({ p99Ratio: 27 }, { p99Ratio: 2, workerRestarts: 1 })
    expect((await timed(run)).workerRestarts).toBe(1)
    const first = runsOf({ p99Ratio: 27, bookProblems: ['x'] })
    expect((await timed(first.run)).bookProblems).toEqual(['x'])
    expect(first.made()).toBe(1)
  })
})

test('every attack can be named alone', () => {
  const names = attacks.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(names.length).toBeGreaterThanOrEqual(30)
})

test.each([
  [1_000, 30],
  [120, 30],
  [100, 25],
  [41, 10],
])('a customer of a server that answers %i requests in a second asks %i', (capacity, pace) => {
  expect(paceOf(capacity)).toBe(pace)
})
