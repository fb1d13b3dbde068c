/** What every prefix index must do: the comments of the port, as tests. */
import type { PrefixIndex } from '@svc/contracts/ports/prefix-index'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { newName } from './testing/chains.ts'

export interface IndexUnderTest {
  readonly index: PrefixIndex
  /** Lets time pass, for the index. */
  pass(ms: number): Promise<void>
}

/** @param make opens an empty index whose notes expire after a time in milliseconds */
export function describePrefixIndex(
  name: string,
  make: (ttlMs: number) => Promise<IndexUnderTest>,
): void {
  describe(`${name} as a prefix index`, () => {
    const TTL_MS = 60_000
    let under: IndexUnderTest
    const names = (count: number) => Array.from({ length: count }, newName)
    beforeEach(async () => {
      under = await make(TTL_MS)
    })
    afterEach(() => under.index.close())

    test('finds who holds a whole prompt', async () => {
      for (const count of [1, 2, 3, 4, 5, 9, 40]) {
        const prompt = names(count)
        await under.index.note('worker-a', prompt)
        expect(await under.index.find(prompt)).toEqual([{ instanceId: 'worker-a', blocks: count }])
      }
    })

    test('finds who holds the beginning of a prompt', async () => {
      const beginning = names(6)
      await under.index.note('worker-a', beginning)
      const found = await under.index.find([...beginning, ...names(20)])
      expect(found).toEqual([{ instanceId: 'worker-a', blocks: 6 }])
    })

    test('claims no more than is held, and at most three blocks less', async () => {
      const prompt = names(23)
      await under.index.note('worker-a', prompt)
      for (let count = 4; count <= 23; count += 1) {
        const [place] = await under.index.find(prompt.slice(0, count))
        expect(place?.blocks).toBeLessThanOrEqual(count)
        expect(place?.blocks).toBeGreaterThan(count - 4)
      }
    })

    test('names the one with the most blocks first', async () => {
      const prompt = names(12)
      await under.index.note('worker-a', prompt.slice(0, 4))
      await under.index.note('worker-b', prompt)
      await under.index.note('worker-c', prompt.slice(0, 8))
      expect(await under.index.find(prompt)).toEqual([
        { instanceId: 'worker-b', blocks: 12 },
        { instanceId: 'worker-c', blocks: 8 },
        { instanceId: 'worker-a', blocks: 4 },
      ])
    })

    test('knows nothing of a prompt that nobody holds', async () => {
      await under.index.note('worker-a', names(5))
      expect(await under.index.find(names(5))).toEqual([])
      expect(await under.index.find([])).toEqual([])
      await under.index.note('worker-a', [])
    })

    test('forgets a note after its time, unless it is noted again', async () => {
      const prompt = names(8)
      await under.index.note('worker-a', prompt)
      await under.index.note('worker-b', prompt)
      await under.pass(TTL_MS - 1_000)
      await under.index.note('worker-b', prompt)
      await under.pass(2_000)
      expect(await under.index.find(prompt)).toEqual([{ instanceId: 'worker-b', blocks: 8 }])
      await under.pass(TTL_MS)
      expect(await under.index.find(prompt)).toEqual([])
    })

    test('remembers a bounded number of workers for a prompt: those noted last', async () => {
      const prompt = names(4)
      for (let worker = 0; worker < 40; worker += 1) {
        await under.index.note(`worker-${worker}`, prompt)
        await under.pass(1)
      }
      const found = (await under.index.find(prompt)).map(({ instanceId }) => instanceId)
      expect(found).toEqual(Array.from({ length: 16 }, (_, at) => `worker-${39 - at}`))
    })

    test('looks at a bounded number of blocks', async () => {
      const prompt = names(400)
      await under.index.note('worker-a', prompt)
      expect(await under.index.find(prompt)).toEqual([{ instanceId: 'worker-a', blocks: 256 }])
    })

    test('is quiet when it is used after its end', async () => {
      await under.index.close()
      await under.index.close()
      const prompt = names(4)
      await under.index.find(prompt)
      await under.index.note('worker-a', prompt)
    })
  })
}
