/** What every expiring store must do. */
import type { ExpiringStore } from '@svc/contracts/ports/expiring-store'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { StoreBounds } from './store-bounds.ts'

/**
 * A noon in the year 2096: a store that also goes by the clock on the wall keeps what expires then.
 */
export const noon = 4_000_000_000_000
export const body = '{"output":[{"text":"Grüße 🦀 \\u0000"}]}'

const bounds: StoreBounds = { maxAccountBytes: 100_000, maxTotalBytes: 250_000 }
/** A tenth of what an account may have, with room for what an adapter adds. */
const large = 'x'.repeat(9_000)

/** @param make opens an empty store with these bounds */
export function describeExpiringStore(
  name: string,
  make: (bounds: StoreBounds) => ExpiringStore | Promise<ExpiringStore>,
): void {
  describe(`${name} as an expiring store`, () => {
    let store: ExpiringStore
    beforeEach(async () => {
      store = await make(bounds)
    })
    afterEach(() => store.close())

    const kept = async (accountId: string, count: number) => {
      const found: number[] = []
      for (let at = 0; at < count; at += 1) {
        if ((await store.load(accountId, `resp_${at}`, noon)) !== undefined) found.push(at)
      }
      return found
    }
    const fill = async (accountId: string, count: number) => {
      for (let at = 0; at < count; at += 1) {
        await store.save(accountId, `resp_${at}`, large, noon + 1)
      }
    }

    test('gives a text back to its account, and to no other', async () => {
      await store.save('acct_1', 'resp_1', body, noon + 1)
      expect(await store.load('acct_1', 'resp_1', noon)).toBe(body)
      expect(await store.load('acct_2', 'resp_1', noon)).toBeUndefined()
      expect(await store.load('acct_1', 'resp_2', noon)).toBeUndefined()
    })

    test('gives back the last of several under one id', async () => {
      await store.save('acct_1', 'resp_1', body, noon + 1)
      await store.save('acct_1', 'resp_1', '{}', noon + 1)
      expect(await store.load('acct_1', 'resp_1', noon)).toBe('{}')
    })

    test('does not give back what has expired by then', async () => {
      await store.save('acct_1', 'resp_1', body, noon)
      expect(await store.load('acct_1', 'resp_1', noon - 1)).toBe(body)
      expect(await store.load('acct_1', 'resp_1', noon)).toBeUndefined()
    })

    test('removes a text for its account, and for no other', async () => {
      await store.save('acct_1', 'resp_1', body, noon + 1)
      expect(await store.remove('acct_2', 'resp_1')).toBe(false)
      expect(await store.remove('acct_1', 'resp_1')).toBe(true)
      expect(await store.remove('acct_1', 'resp_1')).toBe(false)
      expect(await store.load('acct_1', 'resp_1', noon)).toBeUndefined()
    })

    test('removes all texts of an account, and none of another', async () => {
      for (let at = 0; at < 600; at += 1) await store.save('acct_1', `resp_${at}`, '{}', noon + 1)
      await store.save('acct_2', 'resp_0', body, noon + 1)
      const there = await kept('acct_1', 600)
      expect(await store.removeAll('acct_1')).toBe(there.length)
      expect(await kept('acct_1', 600)).toEqual([])
      expect(await store.removeAll('acct_1')).toBe(0)
      expect(await kept('acct_2', 1)).toEqual([0])
      await fill('acct_1', 9)
      expect(await kept('acct_1', 9)).toHaveLength(9)
    })

    test('removes what has expired, a bounded number at a time', async () => {
      for (let at = 0; at < 5; at += 1) await store.save('acct_1', `old_${at}`, body, noon)
      await store.save('acct_1', 'new', body, noon + 1)
      expect(await store.removeExpired(noon, 3)).toBe(3)
      expect(await store.removeExpired(noon, 3)).toBe(2)
      expect(await store.removeExpired(noon, 3)).toBe(0)
      expect(await store.load('acct_1', 'new', noon)).toBe(body)
    })

    test('bounds the bytes of an account: its oldest give way, and nobody else’s', async () => {
      await store.save('acct_2', 'resp_0', large, noon + 1)
      await fill('acct_1', 30)
      const found = await kept('acct_1', 30)
      expect(found.length).toBeGreaterThan(8)
      expect(found.length * large.length).toBeLessThanOrEqual(bounds.maxAccountBytes)
      expect(found).toEqual(Array.from(found, (_, at) => 30 - found.length + at))
      expect(await kept('acct_2', 1)).toEqual([0])
    })

    test('bounds the bytes of all together: who has the most gives way', async () => {
      await fill('acct_small', 5)
      for (const account of ['acct_1', 'acct_2', 'acct_3', 'acct_4']) await fill(account, 10)
      expect(await kept('acct_small', 5)).toHaveLength(5)
      const counts: number[] = []
      for (const account of ['acct_1', 'acct_2', 'acct_3', 'acct_4']) {
        const found = await kept(account, 10)
        expect(found.at(-1)).toBe(9)
        counts.push(found.length)
      }
      const total = counts.reduce((sum, count) => sum + count, 5)
      expect(total * large.length).toBeLessThanOrEqual(bounds.maxTotalBytes)
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
    })

    test('never takes from one who uses no more than an equal share, whatever others do', async () => {
      const mine = ['own_0', 'own_1', 'own_2', 'own_3']
      const accounts = fc.constantFrom('acct_1', 'acct_2', 'acct_3', 'acct_4')
      const write = fc.record({ account: accounts, id: fc.nat(20), size: fc.nat(9_000) })
      const others = fc.array(write, { maxLength: 60, size: 'max' })
      await fc.assert(
        fc.asyncProperty(others, async (writes) => {
          for (const id of mine) await store.save('acct_own', id, large, noon)
          for (const { account, id, size } of writes) {
            await store.save(account, `resp_${id}`, 'x'.repeat(size), noon)
          }
          const found = mine.map((id) => store.load('acct_own', id, noon - 1))
          expect(await Promise.all(found)).toEqual(mine.map(() => large))
          await store.removeExpired(noon, 1_000)
        }),
        { numRuns: 20 },
      )
    })

    test('counts what it removed and replaced as free', async () => {
      for (let at = 0; at < 50; at += 1) await store.save('acct_1', 'same', large, noon)
      await store.removeExpired(noon, 10)
      for (let at = 0; at < 50; at += 1) {
        await store.save('acct_1', 'gone', large, noon + 1)
        await store.remove('acct_1', 'gone')
      }
      await fill('acct_1', 9)
      expect(await kept('acct_1', 9)).toHaveLength(9)
    })

    test('does not keep a text that would push out most of the others', async () => {
      await store.save('acct_1', 'resp_0', body, noon + 1)
      await store.save('acct_1', 'resp_1', 'x'.repeat(50_000), noon + 1)
      expect(await kept('acct_1', 2)).toEqual([0])
    })

    test('is closed once, however often it is asked', async () => {
      await store.close()
      await store.close()
    })
  })
}
