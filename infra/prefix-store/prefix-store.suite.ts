/**
 * What every prefix store must do: the comments of the port, as tests. What gives way when there is
 * no room, and what becomes of a block whose parent is gone, each adapter tells for itself.
 */
import type { PrefixStore, PrefixStoreUsage } from '@svc/contracts/ports/prefix-store'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeChain, namesOf, newName, plain } from './testing/chains.ts'

const CLAIM_MS = 10_000
const TENANT = 'acct_1'

/** @param make opens an empty store with room for a hundred blocks of 1,000 bytes of a tenant */
export function describePrefixStore(name: string, make: () => Promise<PrefixStore>): void {
  describe(`${name} as a prefix store`, () => {
    let store: PrefixStore
    let atStart: PrefixStoreUsage
    beforeEach(async () => {
      store = await make()
      atStart = store.usage()
    })
    afterEach(() => store.close())

    /** The counts since the test began. */
    function counted() {
      const now = store.usage()
      return {
        evictions: now.evictions - atStart.evictions,
        hits: now.hits - atStart.hits,
        misses: now.misses - atStart.misses,
        writes: now.writes - atStart.writes,
        refused: now.refused - atStart.refused,
        failures: now.failures - atStart.failures,
        corrupt: now.corrupt - atStart.corrupt,
      }
    }

    test('gives blocks back as they were, in their order', async () => {
      const chain = makeChain({ blocks: 5 })
      await store.put(TENANT, chain)
      expect(plain(await store.get(namesOf(chain)))).toEqual(plain(chain))
    })

    test('knows no block that was not put', async () => {
      expect(await store.get([newName(), newName()])).toEqual([])
      expect(await store.has([newName()])).toBe(0)
      expect(await store.get([])).toEqual([])
      expect(await store.has([])).toBe(0)
    })

    test('gives the leading blocks, up to the first that is missing', async () => {
      const chain = makeChain({ blocks: 6 })
      const names = namesOf(chain)
      await store.put(TENANT, chain.slice(0, 4))
      expect(namesOf(await store.get(names))).toEqual(names.slice(0, 4))
      expect(await store.has(names)).toBe(4)
      expect(await store.get([newName(), ...names])).toEqual([])
      expect(await store.has([newName(), ...names])).toBe(0)
    })

    test('keeps what goes on from blocks that are here', async () => {
      const [beginning, end] = [makeChain({ blocks: 2 }), newName()]
      await store.put(TENANT, beginning)
      const parent = beginning.at(-1)?.name ?? end
      const left = [...beginning, ...makeChain({ blocks: 2, parent })]
      const right = [...beginning, ...makeChain({ blocks: 3, parent })]
      await store.put(TENANT, left)
      await store.put(TENANT, right)
      expect(plain(await store.get(namesOf(left)))).toEqual(plain(left))
      expect(plain(await store.get(namesOf(right)))).toEqual(plain(right))
    })

    test('keeps blocks of many sizes', async () => {
      for (const blockBytes of [0, 1, 15, 16, 17, 4_096, 20_000]) {
        const chain = makeChain({ blocks: 2, blockBytes })
        await store.put(TENANT, chain)
        expect(plain(await store.get(namesOf(chain)))).toEqual(plain(chain))
      }
    })

    test('leaves a block that is here as it is', async () => {
      const [block] = makeChain({ blocks: 1 })
      if (block === undefined) throw new Error('a chain of one block')
      await store.put(TENANT, [block])
      await store.put(TENANT, [{ ...block, bytes: new Uint8Array(9) }])
      expect(plain(await store.get([block.name]))).toEqual(plain([block]))
      expect(counted().writes).toBe(1)
    })

    test('has no more of a block that was removed, nor of what hangs on it', async () => {
      const chain = makeChain({ blocks: 4 })
      const names = namesOf(chain)
      await store.put(TENANT, chain)
      await store.remove(names[1] ?? '')
      await store.remove(newName())
      expect(await store.has(names)).toBe(1)
      expect(namesOf(await store.get(names))).toEqual(names.slice(0, 1))
    })

    test('ends the reading when it is asked to', async () => {
      const chain = makeChain({ blocks: 3 })
      await store.put(TENANT, chain)
      const names = namesOf(chain)
      expect(await store.get(names, AbortSignal.abort())).toEqual([])
      expect(await store.get(names, new AbortController().signal)).toHaveLength(3)
      expect(counted().failures).toBe(0)
    })

    test('names blocks that are here, up to a count', async () => {
      const chain = makeChain({ blocks: 20 })
      await store.put(TENANT, chain)
      const sampled = await store.sample(5)
      expect(sampled).toHaveLength(5)
      expect(new Set(sampled).size).toBe(5)
      expect(namesOf(chain)).toEqual(expect.arrayContaining([...sampled]))
      expect((await store.sample(1_000)).toSorted()).toEqual(namesOf(chain).toSorted())
      expect(await store.sample(0)).toEqual([])
    })

    test('in time names every block', async () => {
      const chain = makeChain({ blocks: 12 })
      await store.put(TENANT, chain)
      const seen = new Set<string>()
      for (let look = 0; look < 50; look += 1) {
        for (const sampled of await store.sample(4)) seen.add(sampled)
      }
      expect([...seen].toSorted()).toEqual(namesOf(chain).toSorted())
    })

    test('has nothing to name when it is empty', async () => {
      expect(await store.sample(10)).toEqual([])
    })

    test('grants one claim at a time', async () => {
      const name = newName()
      const claim = await store.claim(name, CLAIM_MS)
      expect(claim).not.toBeNull()
      expect(await store.claim(name, CLAIM_MS)).toBeNull()
      expect(await store.claim(newName(), CLAIM_MS)).not.toBeNull()
      await claim?.release()
      expect(await store.claim(name, CLAIM_MS)).not.toBeNull()
    })

    test('lets only its holder end a claim, and once', async () => {
      const name = newName()
      const first = await store.claim(name, CLAIM_MS)
      await first?.release()
      const second = await store.claim(name, CLAIM_MS)
      await first?.release()
      expect(await store.claim(name, CLAIM_MS)).toBeNull()
      await second?.release()
    })

    test('counts what became of blocks', async () => {
      const chain = makeChain({ blocks: 3 })
      await store.put(TENANT, chain)
      await store.get(namesOf(chain))
      await store.get([...namesOf(chain).slice(0, 1), newName(), newName()])
      expect(counted()).toEqual({
        writes: 3,
        hits: 4,
        misses: 2,
        refused: 0,
        failures: 0,
        corrupt: 0,
        evictions: 0,
      })
    })

    test('keeps what several put and read at once', async () => {
      const chains = Array.from({ length: 8 }, () => makeChain({ blocks: 4 }))
      await Promise.all(chains.map((chain) => store.put(TENANT, chain)))
      const read = await Promise.all(chains.map((chain) => store.get(namesOf(chain))))
      expect(read.map(plain)).toEqual(chains.map(plain))
    })

    test('is quiet when it is used after its end', async () => {
      const chain = makeChain({ blocks: 2 })
      await store.close()
      await store.close()
      await store.put(TENANT, chain)
      await store.remove(newName())
      expect(await store.get(namesOf(chain))).toEqual([])
      expect(await store.has(namesOf(chain))).toBe(0)
      expect(await store.sample(3)).toEqual([])
      await (await store.claim(newName(), CLAIM_MS))?.release()
    })
  })
}
