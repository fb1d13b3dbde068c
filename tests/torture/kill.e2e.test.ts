/**
 * The kill test: `SVC_KILL_ROUNDS` rounds of kill -9 under load, books audited after each, and as
 * many more as it takes to die at every named place.
 */
import { expect, test } from 'vitest'
import { torture } from './torture.ts'

const ROUNDS = Number(process.env.SVC_KILL_ROUNDS ?? 20)
const MOST_PER_ROUND_MS = 40_000

test(
  `the books are in order after each of ${ROUNDS} kills, at random and at every named place`,
  async () => {
    const seed = Date.now() % 1_000_000
    const summary = await torture({ store: 'sqlite', rounds: ROUNDS, seed, realModel: false })
    expect(summary.problems, `seed ${seed}`).toEqual([])
    expect(summary.points_never_reached).toEqual([])
    expect(summary.answers_told).toBeGreaterThan(ROUNDS)
  },
  ROUNDS * MOST_PER_ROUND_MS,
)
