/** What every store of responses must do. */
import type { StoredResponses } from '@svc/contracts/stored-responses'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ResponseBounds } from './response-bounds.ts'

export const noon = 1_800_000_000_000
export const body = '{"output":[{"text":"Grüße 🦀 \\u0000"}]}'

const bounds: ResponseBounds = { maxAccountBytes: 100_000, maxTotalBytes: 250_000 }
/** A tenth of what an account may have, with room for what an adapter adds. */
const large = 'x'.repeat(9_000)

/** @param make opens an empty store with these bounds */
export function describeStoredResponses(
  name: string,
  make: (bounds: ResponseBounds) => StoredResponses,
): void {
  describe(`${name} as a store of responses`, () => {
    let responses: StoredResponses
    beforeEach(() => {
      responses = make(bounds)
    })
    afterEach(() => responses.close())

    const kept = async (accountId: string, count: number) => {
      const found: number[] = []
      for (let at = 0; at < count; at += 1) {
        if ((await responses.load(accountId, `resp_${at}`, noon)) !== undefined) found.push(at)
      }
      return found
    }
    const fill = async (accountId: string, count: number) => {
      for (let at = 0; at < count; at += 1) {
        await responses.save(accountId, `resp_${at}`, large, noon + 1)
      }
    }

    test('gives a response back to its account, and to no other', async () => {
      await responses.save('acct_1', 'resp_1', body, noon + 1)
      expect(await responses.load('acct_1', 'resp_1', noon)).toBe(body)
      expect(await responses.load('acct_2', 'resp_1', noon)).toBeUndefined()
      expect(await responses.load('acct_1', 'resp_2', noon)).toBeUndefined()
    })

    test('gives back the last of several under one id', async () => {
      await responses.save('acct_1', 'resp_1', body, noon + 1)
      await responses.save('acct_1', 'resp_1', '{}', noon + 1)
      expect(await responses.load('acct_1', 'resp_1', noon)).toBe('{}')
    })

    test('does not give back what has expired by then', async () => {
      await responses.save('acct_1', 'resp_1', body, noon)
      expect(await responses.load('acct_1', 'resp_1', noon - 1)).toBe(body)
      expect(await responses.load('acct_1', 'resp_1', noon)).toBeUndefined()
    })

    test('removes a response for its account, and for no other', async () => {
      await responses.save('acct_1', 'resp_1', body, noon + 1)
      expect(await responses.remove('acct_2', 'resp_1')).toBe(false)
      expect(await responses.remove('acct_1', 'resp_1')).toBe(true)
      expect(await responses.remove('acct_1', 'resp_1')).toBe(false)
      expect(await responses.load('acct_1', 'resp_1', noon)).toBeUndefined()
    })

    test('removes what has expired, at most so many at a time', async () => {
      for (let at = 0; at < 5; at += 1) await responses.save('acct_1', `old_${at}`, body, noon)
      await responses.save('acct_1', 'new', body, noon + 1)
      expect(await responses.removeExpired(noon, 3)).toBe(3)
      expect(await responses.removeExpired(noon, 3)).toBe(2)
      expect(await responses.removeExpired(noon, 3)).toBe(0)
      expect(await responses.load('acct_1', 'new', noon)).toBe(body)
    })

    test('keeps so many bytes of an account: its oldest give way, and nobody else’s', async () => {
      await responses.save('acct_2', 'resp_0', large, noon + 1)
      await fill('acct_1', 30)
      const found = await kept('acct_1', 30)
      expect(found.length).toBeGreaterThan(8)
      expect(found.length * large.length).toBeLessThanOrEqual(bounds.maxAccountBytes)
      expect(found).toEqual(Array.from(found, (_, at) => 30 - found.length + at))
      expect(await kept('acct_2', 1)).toEqual([0])
    })

    test('keeps so many bytes of all accounts together: the oldest give way', async () => {
      for (const account of ['acct_1', 'acct_2', 'acct_3', 'acct_4']) await fill(account, 9)
      expect(await kept('acct_4', 9)).toHaveLength(9)
      expect(await kept('acct_3', 9)).toHaveLength(9)
      expect((await kept('acct_1', 9)).length).toBeLessThan(3)
    })

    test('counts what it removed and replaced as free', async () => {
      for (let at = 0; at < 50; at += 1) await responses.save('acct_1', 'same', large, noon)
      await responses.removeExpired(noon, 10)
      for (let at = 0; at < 50; at += 1) {
        await responses.save('acct_1', 'gone', large, noon + 1)
        await responses.remove('acct_1', 'gone')
      }
      await fill('acct_1', 9)
      expect(await kept('acct_1', 9)).toHaveLength(9)
    })

    test('does not keep a response that would push out most of the others', async () => {
      await responses.save('acct_1', 'resp_0', body, noon + 1)
      await responses.save('acct_1', 'resp_1', 'x'.repeat(50_000), noon + 1)
      expect(await kept('acct_1', 2)).toEqual([0])
    })

    test('is closed once, however often it is asked', async () => {
      await responses.close()
      await responses.close()
    })
  })
}
