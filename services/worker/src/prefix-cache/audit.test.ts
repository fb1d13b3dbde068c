import { MemoryPrefixStore } from '@svc/infra/prefix-store/memory/memory-prefix-store'
import { eventually } from '@svc/testing/eventually'
import { describe, expect, it, vi } from 'vitest'
import { BLOCK_TOKENS, request, run, scriptedWorker } from '../../testing/scripted-worker.ts'
import { auditCache } from './audit.ts'

const PROMPT = Array.from({ length: 40 }, (_, line) => `line ${line} of it. `).join('')
const BLOCKS = Math.floor((PROMPT.length - 1) / BLOCK_TOKENS)

async function filled() {
  const l1 = new MemoryPrefixStore({ bytesMax: 1024 * 1024 })
  const l2 = new MemoryPrefixStore({ bytesMax: 1024 * 1024 })
  const worker = scriptedWorker({ answer: 'a' }, 8, { l1, l2 })
  await run(worker.scheduler, request(PROMPT))
  await eventually(() => expect(l2.usage().blocks).toBe(BLOCKS))
  const audit = (sample: number) =>
    auditCache(worker.cache, sample, (work) =>
      worker.scheduler.withSequence(({ sequence }) => work(sequence)),
    )
  return { ...worker, l1, l2, audit }
}

describe('an audit of the cache', () => {
  it('computes the blocks of every tier again and finds them the same', async () => {
    const { audit, scheduler } = await filled()
    expect(await audit(100)).toEqual({
      checked: { l1: BLOCKS, l2: BLOCKS },
      gone: 0,
      differing: [],
    })
    // The sequence that it used serves customers again.
    expect((await run(scheduler, request(PROMPT))).meter?.cache.blocks).toBe(BLOCKS)
    expect(scheduler.state()).toMatchObject({ running: 0, meterMismatches: 0 })
  })

  it('compares no more than it was asked for', async () => {
    const { audit } = await filled()
    expect((await audit(2)).checked).toEqual({ l1: 2, l2: 2 })
  })

  it('names a block whose bytes are not what the model computes', async () => {
    const { audit, l2 } = await filled()
    const [name] = await l2.sample(1)
    if (name === undefined) throw new Error('nothing is stored')
    const [block] = await l2.get([name])
    const chain = [name]
    for (let next = block?.parent; next; ) {
      chain.unshift(next)
      next = (await l2.get([next]))[0]?.parent
    }
    const blocks = await l2.get(chain)
    for (const each of blocks.toReversed()) await l2.remove(each.name)
    await l2.put(
      't',
      blocks.map((each) =>
        each.name === name ? { ...each, bytes: each.bytes.with(5, 255) } : each,
      ),
    )
    expect(await audit(100)).toMatchObject({ differing: [{ name, tier: 'l2' }] })
  })

  it('computes blocks of short prompts again in batches of their kind', async () => {
    const l1 = new MemoryPrefixStore({ bytesMax: 1024 * 1024 })
    const batchMark = ({ rows }: { readonly rows: number }) => (rows < 64 ? 1 : 0)
    const script = { answer: 'a', cutsAnywhere: true, chunkTokens: 64, batchMark }
    const { scheduler, cache } = scriptedWorker(script, 8, { l1 })
    for (const prompt of ['x'.repeat(30), 'x'.repeat(100)]) await run(scheduler, request(prompt))
    await eventually(() => expect(l1.usage().blocks).toBe(1 + 4))
    const audited = await auditCache(cache, 100, (work) =>
      scheduler.withSequence(({ sequence }) => work(sequence)),
    )
    expect(audited).toEqual({ checked: { l1: 5, l2: 0 }, gone: 0, differing: [] })
  })

  it('compares a block once, also as a part of several chains', async () => {
    const { audit, l1 } = await filled()
    const names = await l1.sample(100)
    for (const order of [names, names.toReversed()]) {
      vi.spyOn(l1, 'sample').mockResolvedValue(order)
      expect((await audit(100)).checked.l1).toBe(BLOCKS)
    }
  })

  it('counts blocks that went away in between', async () => {
    const { audit, l2 } = await filled()
    vi.spyOn(l2, 'get').mockResolvedValue([])
    expect(await audit(100)).toMatchObject({ checked: { l1: BLOCKS, l2: 0 }, gone: BLOCKS })
  })
})
