import type { PrefixBlock } from '@svc/contracts/ports/prefix-store'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { describePrefixStore } from '../prefix-store.suite.ts'
import { makeChain, namesOf, newName } from '../testing/chains.ts'
import { MemoryPrefixStore } from './memory-prefix-store.ts'
import { storedBytes } from './stored-block.ts'

const MIB = 1024 * 1024
const BLOCK_BYTES = 1_000
const [anyBlock] = makeChain({ blocks: 1, blockBytes: BLOCK_BYTES })
if (anyBlock === undefined) throw new Error('a chain of one block')
const STORED_BYTES = storedBytes(anyBlock)

describePrefixStore('memory', async () => new MemoryPrefixStore({ bytesMax: MIB }))

/** A store with room for `blocks` blocks. */
function roomFor(blocks: number, tenantShare = 1): MemoryPrefixStore {
  return new MemoryPrefixStore({ bytesMax: blocks * STORED_BYTES, tenantShare })
}

describe('a prefix store in memory', () => {
  test('counts tokens and names, not the bytes of blocks alone', async () => {
    const store = new MemoryPrefixStore({ bytesMax: MIB })
    await store.put('acct_1', makeChain({ blocks: 3, blockBytes: 0 }))
    expect(store.usage()).toMatchObject({ blocks: 3, bytesMax: MIB })
    expect(store.usage().bytes).toBeGreaterThan(3 * 512)
  })

  test('gives up what was not used for longest, the end of a prompt before its beginning', async () => {
    const store = roomFor(6)
    const [old, used, young] = [2, 2, 4].map((blocks) => makeChain({ blocks })) as [
      readonly PrefixBlock[],
      readonly PrefixBlock[],
      readonly PrefixBlock[],
    ]
    await store.put('acct_1', used)
    await store.put('acct_1', old)
    await store.get(namesOf(used))
    await store.put('acct_1', young.slice(0, 3))
    expect(await store.has(namesOf(old))).toBe(1)
    await store.put('acct_1', young)
    expect(await store.has(namesOf(old))).toBe(0)
    expect(await store.has(namesOf(used))).toBe(2)
    expect(await store.has(namesOf(young))).toBe(4)
    expect(store.usage().evictions).toBe(2)
  })

  test('keeps the whole of a prompt that was used', async () => {
    const store = roomFor(5)
    const [used, old, next] = [3, 2, 2].map((blocks) => makeChain({ blocks }))
    await store.put('acct_1', used ?? [])
    await store.put('acct_1', old ?? [])
    await store.get(namesOf(used ?? []))
    await store.put('acct_1', next ?? [])
    const there = [used, old, next].map((chain) => store.has(namesOf(chain ?? [])))
    expect(await Promise.all(there)).toEqual([3, 0, 2])
  })

  test('does not count a look at blocks as a use', async () => {
    const store = roomFor(2)
    const [old, young, next] = [0, 1, 2].map(() => makeChain({ blocks: 1 }))
    await store.put('acct_1', old ?? [])
    await store.put('acct_1', young ?? [])
    await store.has(namesOf(old ?? []))
    await store.put('acct_1', next ?? [])
    expect(await store.has(namesOf(old ?? []))).toBe(0)
  })

  test('lets no tenant push out the blocks of others', async () => {
    const store = roomFor(10, 0.5)
    const quiet = makeChain({ blocks: 5 })
    await store.put('acct_quiet', quiet)
    for (let at = 0; at < 20; at += 1) await store.put('acct_noisy', makeChain({ blocks: 3 }))
    expect(await store.has(namesOf(quiet))).toBe(5)
    expect(store.usage().blocks).toBe(10)
  })

  test('keeps the beginning of a prompt that is larger than the share of its tenant', async () => {
    const store = roomFor(10, 0.5)
    const chain = makeChain({ blocks: 8 })
    await store.put('acct_1', chain)
    expect(await store.has(namesOf(chain))).toBe(5)
    expect(store.usage()).toMatchObject({ writes: 5, refused: 3, evictions: 0 })
    await store.put('acct_1', chain)
    expect(store.usage()).toMatchObject({ writes: 5, refused: 6, evictions: 0 })
  })

  test('keeps no block whose parent is not here, or is of another tenant', async () => {
    const store = roomFor(10)
    const chain = makeChain({ blocks: 3 })
    await store.put('acct_1', chain.slice(1))
    await store.put('acct_2', chain.slice(0, 1))
    await store.put('acct_1', chain)
    expect(store.usage()).toMatchObject({ blocks: 1, writes: 1, refused: 4 })
  })

  test('keeps no block that does not follow the one before it', async () => {
    const store = roomFor(10)
    await store.put('acct_1', [...makeChain({ blocks: 2 }), ...makeChain({ blocks: 1 })])
    expect(store.usage()).toMatchObject({ blocks: 2, refused: 1 })
  })

  test('finds the block that begins most alike, of those that follow one', async () => {
    const store = roomFor(10)
    const [first] = makeChain({ blocks: 1 })
    if (first === undefined) throw new Error('a chain of one block')
    const next = [[1, 2, 3, 4], [1, 2, 3], [9]].map((tokens) => {
      const [block] = makeChain({ blocks: 1, parent: first.name })
      return { ...(block as PrefixBlock), tokens: Int32Array.from(tokens) }
    })
    for (const block of next) await store.put('acct_1', [first, block])
    const [long, short] = next
    const found = (tokens: readonly number[]) => {
      const begun = store.following(first.name, tokens)
      return [begun?.block.name, begun?.sharedTokens]
    }
    expect(found([1, 2, 3, 4, 5])).toEqual([long?.name, 4])
    expect(found([1, 2, 8])).toEqual([long?.name, 2])
    expect(found([7, 1, 2])).toEqual([undefined, undefined])
    expect(found([])).toEqual([undefined, undefined])
    await store.remove(long?.name ?? '')
    expect(found([1, 2, 3, 4, 5])).toEqual([short?.name, 3])
    await store.remove(first.name)
    expect(found([1])).toEqual([undefined, undefined])
  })

  test('counts a block that another prompt begins with as used', async () => {
    const store = roomFor(3, 1)
    const [first] = makeChain({ blocks: 1 })
    const [begun] = makeChain({ blocks: 1, parent: first?.name ?? '' })
    const chains = [0, 1].map(() => makeChain({ blocks: 1 }))
    await store.put('acct_1', [first, begun] as readonly PrefixBlock[])
    await store.put('acct_1', chains[0] ?? [])
    store.following(first?.name ?? '', [0])
    await store.put('acct_1', chains[1] ?? [])
    expect(await store.has([first?.name ?? '', begun?.name ?? ''])).toBe(2)
    expect(await store.has(namesOf(chains[0] ?? []))).toBe(0)
  })

  test('keeps nothing when it may hold nothing', async () => {
    const store = new MemoryPrefixStore({ bytesMax: 0 })
    const chain = makeChain({ blocks: 2 })
    await store.put('acct_1', chain)
    expect(await store.get(namesOf(chain))).toEqual([])
    expect(store.usage()).toMatchObject({ blocks: 0, bytes: 0, refused: 2, misses: 2 })
  })

  test('does not hold on to a large buffer for the sake of a block in it', async () => {
    const store = new MemoryPrefixStore({ bytesMax: MIB })
    const [block] = makeChain({ blocks: 1 })
    if (block === undefined) throw new Error('a chain of one block')
    const state = new Uint8Array(100_000).fill(7)
    await store.put('acct_1', [{ ...block, bytes: state.subarray(5_000, 6_000) }])
    state.fill(9)
    const [kept] = await store.get([block.name])
    expect(kept?.bytes.buffer.byteLength).toBe(1_000)
    expect([...new Set(kept?.bytes)]).toEqual([7])
  })

  test('ends a claim that is not released', async () => {
    let nowMs = 0
    const store = new MemoryPrefixStore({ bytesMax: 0, clock: { nowMs: () => nowMs } })
    const name = newName()
    const first = await store.claim(name, 1_000)
    nowMs = 999
    expect(await store.claim(name, 1_000)).toBeNull()
    nowMs = 1_000
    expect(await store.claim(name, 1_000)).not.toBeNull()
    await first?.release()
    expect(await store.claim(name, 1_000)).toBeNull()
  })

  test.each([{ bytesMax: -1 }, { bytesMax: Number.NaN }, { bytesMax: 1, tenantShare: 0 }])(
    'is not made of nonsense: %j',
    (options) => {
      expect(() => new MemoryPrefixStore(options)).toThrow(RangeError)
    },
  )
})

describe('whatever is done to a prefix store in memory', () => {
  const BYTES_MAX = 8 * STORED_BYTES
  const TENANT_SHARE = 0.5
  const tenants = ['acct_1', 'acct_2', 'acct_3']
  /** Each tenant has a tree of prompts, where each block but the first hangs on an earlier one. */
  const trees = tenants.map((tenant) => ({ tenant, blocks: makeTree(tenant) }))
  const all = new Map(
    trees.flatMap(({ tenant, blocks }) =>
      blocks.map((block) => [block.name, { tenant, block }] as const),
    ),
  )

  function makeTree(tenant: string): readonly PrefixBlock[] {
    const blocks: PrefixBlock[] = []
    for (const [at, hangsOn] of [null, 0, 1, 2, 1, 4, 5, 0, 7, 8, 9, 8, 3, 12, 2].entries()) {
      const parent = hangsOn === null ? null : (blocks[hangsOn]?.name ?? null)
      const size = { blocks: 1, blockBytes: 100 + 50 * at, parent }
      blocks.push(...makeChain(size).map((block) => ({ ...block, name: `${tenant}-${at}` })))
    }
    return blocks
  }

  /** The blocks from a prompt's first to this one. */
  function chainTo(name: string): readonly PrefixBlock[] {
    const found = all.get(name)?.block
    if (found === undefined) return []
    return [...(found.parent === null ? [] : chainTo(found.parent)), found]
  }

  async function expectSound(store: MemoryPrefixStore): Promise<void> {
    const names = await store.sample(1_000)
    const here = names.flatMap((name) => all.get(name) ?? [])
    const bytesOf = (blocks: typeof here) =>
      blocks.reduce((sum, { block }) => sum + storedBytes(block), 0)
    for (const { block } of here) {
      expect(block.parent === null || names.includes(block.parent), block.name).toBe(true)
    }
    for (const tenant of tenants) {
      const own = here.filter((entry) => entry.tenant === tenant)
      expect(bytesOf(own)).toBeLessThanOrEqual(BYTES_MAX * TENANT_SHARE)
    }
    expect(store.usage().bytes).toBe(bytesOf(here))
    expect(store.usage().bytes).toBeLessThanOrEqual(BYTES_MAX)
    expect(store.usage().blocks).toBe(here.length)
  }

  const steps = fc.array(
    fc.record({
      what: fc.constantFrom('put', 'put', 'put', 'get', 'get', 'remove'),
      name: fc.constantFrom(...all.keys()),
      from: fc.constantFrom(0, 0, 0, 1, 2),
    }),
    { minLength: 10, maxLength: 60 },
  )
  interface Step {
    readonly what: string
    readonly name: string
    readonly from: number
  }

  async function take(store: MemoryPrefixStore, { what, name, from }: Step): Promise<void> {
    const chain = chainTo(name).slice(from)
    if (what === 'put') await store.put(all.get(name)?.tenant ?? '', chain)
    if (what === 'get') await store.get(namesOf(chain))
    if (what === 'remove') await store.remove(name)
  }

  test('no block is there without its parent, and no bound is passed', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const store = new MemoryPrefixStore({ bytesMax: BYTES_MAX, tenantShare: TENANT_SHARE })
        for (const step of taken) {
          await take(store, step)
          await expectSound(store)
        }
      }),
    )
  })
})
