/** What every way of counting rates promises. */
import { randomUUID } from 'node:crypto'
import type { RateLimits } from '@svc/contracts/ports/rate-limits'
import { afterEach, describe, expect, test } from 'vitest'

/** @param open resolves when it counts where it is to count */
export function describeRateLimits(name: string, open: () => Promise<RateLimits>): void {
  describe(`the rate limits in ${name}`, () => {
    const opened: RateLimits[] = []
    const limits = async () => {
      const one = await open()
      opened.push(one)
      return one
    }
    afterEach(async () => {
      for (const each of opened.splice(0)) await each.close()
    })

    test('count each name for itself, up to the limit', async () => {
      const limit = (await limits()).open(randomUUID(), 2, 60)
      expect(await limit.take('a')).toMatchObject({ allowed: true, remaining: 1 })
      expect(await limit.take('a')).toMatchObject({ allowed: true, remaining: 0 })
      const over = await limit.take('a')
      expect(over).toMatchObject({ allowed: false, remaining: 0 })
      expect(over.resetMs).toBeGreaterThan(50_000)
      expect(over.resetMs).toBeLessThanOrEqual(60_000)
      expect(await limit.take('b')).toMatchObject({ allowed: true, remaining: 1 })
    })

    test('tell how they stand without counting', async () => {
      const limit = (await limits()).open(randomUUID(), 1, 60)
      expect(await limit.look('a')).toEqual({ allowed: true, remaining: 1, resetMs: 0 })
      await limit.take('a')
      expect(await limit.look('a')).toMatchObject({ allowed: false, remaining: 0 })
      expect(await limit.look('a')).toMatchObject({ allowed: false, remaining: 0 })
    })

    test('begin again with a new window', async () => {
      const limit = (await limits()).open(randomUUID(), 1, 1)
      // Two that a busy machine makes far apart are in two windows.
      await expect.poll(async () => (await limit.take('a')).allowed, { interval: 1 }).toBe(false)
      await expect.poll(async () => (await limit.look('a')).allowed).toBe(true)
    })
  })
}
