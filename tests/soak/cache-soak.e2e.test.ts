/**
 * A short run of the cache's soak test, with every kind of fault. The long one takes most of an
 * hour: `npm run soak:cache`.
 */
import { describeOnOwnRedis } from '@svc/testing/redis/describe-on-redis'
import { expect, test } from 'vitest'
import { faultKinds } from './cache-faults.ts'
import { cacheSoak } from './cache-soak.ts'

const CONVERSATIONS = 40
const SEED = 1

describeOnOwnRedis('workers that share a prefix cache', () => {
  test.skipIf(process.platform !== 'linux')(
    'answer and bill as one without a cache, whatever breaks',
    async () => {
      const summary = await cacheSoak({ conversations: CONVERSATIONS, seed: SEED, say: () => {} })
      expect(summary.contradictions).toEqual([])
      expect(summary.conversations).toBe(CONVERSATIONS)
      for (const kind of faultKinds) expect(summary.faults[kind]).toBeGreaterThan(0)
    },
  )
})
