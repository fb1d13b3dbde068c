/**
 * Every part of the service is killed in turn under load, and the books are in order: at least
 * `SVC_ROTATION_KILLS` kills, in the order that `SVC_ROTATION_SEED` draws.
 */
import { describeOnOwnKafka } from '@svc/testing/kafka/describe-on-kafka'
import { describeOnOwnRedis } from '@svc/testing/redis/describe-on-redis'
import { expect, test } from 'vitest'
import { rotateKills } from './kill-rotation.ts'
import { victimKinds } from './victim.ts'

const KILLS = Number(process.env.SVC_ROTATION_KILLS ?? victimKinds.length)
const SEED = Number(process.env.SVC_ROTATION_SEED ?? Date.now() % 1_000_000)
/** Of a whole round beside other work, most of it the wait for processes that start. */
const MOST_PER_KILL_MS = 90_000

describeOnOwnRedis('with a Redis', () => {
  describeOnOwnKafka('and a Kafka', () => {
    test(
      `the books are in order after ${KILLS} kills in rotation (seed ${SEED})`,
      async () => {
        const said: string[] = []
        const summary = await rotateKills({
          kills: KILLS,
          seed: SEED,
          tell: (words) => void said.push(words),
        })
        expect(summary.problems, said.join('\n')).toEqual([])
        for (const kind of victimKinds) expect(summary.kills_of[kind]).toBeGreaterThan(0)
        expect(summary.answers_told).toBeGreaterThan(KILLS)
      },
      KILLS * MOST_PER_KILL_MS,
    )
  })
})
