/**
 * The kill test with the events on EventStoreDB: `SVC_KILL_ROUNDS_EVENTSTOREDB` rounds, and at most
 * as many again for named places. A round takes longer there, so that only CI has enough of them
 * for every place.
 */
import { expect, test } from 'vitest'
import { torture } from './torture.ts'

const ROUNDS = Number(process.env.SVC_KILL_ROUNDS_EVENTSTOREDB ?? 3)
/** With this many, and as many again, every place has its turn. */
const ROUNDS_FOR_ALL_PLACES = 20
const MOST_PER_ROUND_MS = 40_000

test(
  `the books on EventStoreDB are in order after each of ${ROUNDS} kills and more`,
  async () => {
    const seed = Date.now() % 1_000_000
    const summary = await torture({
      store: 'eventstoredb',
      rounds: ROUNDS,
      seed,
      realModel: false,
    })
    expect(summary.problems, `seed ${seed}`).toEqual([])
    if (ROUNDS >= ROUNDS_FOR_ALL_PLACES) expect(summary.points_never_reached).toEqual([])
    expect(summary.answers_told).toBeGreaterThan(ROUNDS)
  },
  2 * ROUNDS * MOST_PER_ROUND_MS,
)
