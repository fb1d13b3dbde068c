import { describe, expect, test } from 'vitest'
import { describePrefixIndex } from '../prefix-index.suite.ts'
import { newName } from '../testing/chains.ts'
import { MemoryPrefixIndex } from './memory-prefix-index.ts'

describePrefixIndex('memory', async (ttlMs) => {
  let nowMs = 1_800_000_000_000
  const index = new MemoryPrefixIndex({ ttlMs, clock: { nowMs: () => nowMs } })
  return {
    index,
    async pass(ms) {
      nowMs += ms
    },
  }
})

describe('a prefix index in memory', () => {
  test('is bounded: what was noted longest ago gives way', async () => {
    const index = new MemoryPrefixIndex({ entriesMax: 250 })
    const prompts = Array.from({ length: 60 }, () => Array.from({ length: 8 }, newName))
    const [first = []] = prompts
    for (const prompt of prompts) {
      await index.note('worker-a', prompt)
      await index.note('worker-a', first)
    }
    const known: number[] = []
    for (const [at, prompt] of prompts.entries()) {
      if ((await index.find(prompt)).length > 0) known.push(at)
    }
    // There are five notes for each: the first, which is noted again and again, and the last 49
    // stay.
    expect(known).toEqual([0, ...Array.from({ length: 49 }, (_, at) => 11 + at)])
  })

  test('counts each worker at a block', async () => {
    const index = new MemoryPrefixIndex({ entriesMax: 5 })
    const [old, young] = [[newName()], [newName()]]
    await index.note('worker-a', old)
    for (let worker = 0; worker < 5; worker += 1) await index.note(`worker-${worker}`, young)
    expect(await index.find(old)).toEqual([])
    expect(await index.find(young)).toHaveLength(5)
  })
})
