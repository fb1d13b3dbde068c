import type { PrefixIndex } from '@svc/contracts/ports/prefix-index'
import { describe, expect, test } from 'vitest'
import { FallbackPrefixIndex } from './fallback-prefix-index.ts'
import { MemoryPrefixIndex } from './memory/memory-prefix-index.ts'
import { describePrefixIndex } from './prefix-index.suite.ts'
import { newName } from './testing/chains.ts'

describePrefixIndex('fallback', async (ttlMs) => {
  let nowMs = 1_800_000_000_000
  const memory = () => new MemoryPrefixIndex({ ttlMs, clock: { nowMs: () => nowMs } })
  return {
    index: new FallbackPrefixIndex({ shared: memory(), local: memory() }),
    async pass(ms) {
      nowMs += ms
    },
  }
})

/** An index in memory that can be away: then it knows nothing, and notes never come to an end. */
class LostIndex implements PrefixIndex {
  readonly #index = new MemoryPrefixIndex()
  failures = 0
  isAway = false

  note(instanceId: string, names: readonly string[]): Promise<void> {
    if (!this.isAway) return this.#index.note(instanceId, names)
    this.failures += 1
    return new Promise(() => {})
  }

  async find(names: readonly string[]) {
    if (!this.isAway) return this.#index.find(names)
    this.failures += 1
    return []
  }

  close(): Promise<void> {
    return this.#index.close()
  }
}

describe('a shared index with a local one behind it', () => {
  const prompt = Array.from({ length: 8 }, newName)
  function make() {
    const shared = new LostIndex()
    return { shared, index: new FallbackPrefixIndex({ shared, local: new MemoryPrefixIndex() }) }
  }

  test('finds without the shared one what it noted before and after losing it', async () => {
    const { shared, index } = make()
    await index.note('worker-a', prompt)
    shared.isAway = true
    expect(await index.find(prompt)).toEqual([{ instanceId: 'worker-a', blocks: 8 }])
    const other = Array.from({ length: 4 }, newName)
    await index.note('worker-b', other)
    expect(await index.find(other)).toEqual([{ instanceId: 'worker-b', blocks: 4 }])
    expect(index.failures).toBe(3)
  })

  test('finds what others noted as soon as the shared one answers again', async () => {
    const { shared, index } = make()
    shared.isAway = true
    expect(await index.find(prompt)).toEqual([])
    shared.isAway = false
    await shared.note('worker-of-another-gateway', prompt)
    expect(await index.find(prompt)).toEqual([
      { instanceId: 'worker-of-another-gateway', blocks: 8 },
    ])
  })

  test('names a worker once, with the longer prefix of the two', async () => {
    const { shared, index } = make()
    await index.note('worker-a', prompt.slice(0, 4))
    await shared.note('worker-a', prompt)
    await shared.note('worker-b', prompt.slice(0, 3))
    shared.isAway = true
    await index.note('worker-b', prompt.slice(0, 6))
    shared.isAway = false
    expect(await index.find(prompt)).toEqual([
      { instanceId: 'worker-a', blocks: 8 },
      { instanceId: 'worker-b', blocks: 6 },
    ])
  })
})
