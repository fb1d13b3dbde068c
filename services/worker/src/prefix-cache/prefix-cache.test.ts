import type { PrefixStore } from '@svc/contracts/ports/prefix-store'
import { MemoryPrefixStore } from '@svc/infra/prefix-store/memory/memory-prefix-store'
import { eventually } from '@svc/testing/eventually'
import { describe, expect, it, vi } from 'vitest'
import { BLOCK_TOKENS, request, run, scriptedWorker } from '../../testing/scripted-worker.ts'
import type { Step } from '../engines/scripted/scripted-engine.ts'

const store = () => new MemoryPrefixStore({ bytesMax: 1024 * 1024 })
/** Four blocks and a bit, of which every block is another one. */
const PROMPT = Array.from({ length: 40 }, (_, line) => `line ${line} of it. `).join('')
const BLOCKS = Math.floor((PROMPT.length - 1) / BLOCK_TOKENS)
const other = (index: number) => request(`${index} is another prompt. `.repeat(8))

describe('blocks of a prompt', () => {
  it('are kept when all sequences have gone to others', async () => {
    const { scheduler } = scriptedWorker({ answer: 'a', sequences: 2 })
    await run(scheduler, request(PROMPT))
    for (const index of [1, 2, 3, 4]) await run(scheduler, other(index))
    const { meter } = await run(scheduler, request(PROMPT))
    expect(meter).toMatchObject({
      cachedInputTokens: BLOCKS * BLOCK_TOKENS,
      cache: { blocks: BLOCKS, source: 'l1' },
    })
    expect(scheduler.state()).toMatchObject({
      cache: { lookups: 6, hits: 1, reusedTokens: { l1: BLOCKS * BLOCK_TOKENS, l2: 0 } },
      meterMismatches: 0,
    })
  })

  it('are found by another worker that shares a store, and by its memory from then on', async () => {
    const l2 = store()
    const one = scriptedWorker({ answer: 'a' }, 8, { l2 })
    const two = scriptedWorker({ answer: 'a' }, 8, { l2 })
    await run(one.scheduler, request(PROMPT))
    await eventually(() => expect(l2.usage().blocks).toBe(BLOCKS))
    const far = await run(two.scheduler, request(PROMPT))
    await run(two.scheduler, other(1))
    const near = await run(two.scheduler, request(PROMPT))
    expect(far.meter?.cache).toMatchObject({ blocks: BLOCKS, source: 'l2' })
    expect(near.meter?.cache).toMatchObject({ blocks: BLOCKS, source: 'l1' })
    expect(near.meter?.cache.lastBlockHash).toBe(far.meter?.cache.lastBlockHash)
    expect(far.text).toBe(near.text)
  })

  it.each([
    ['keeps none', 0],
    ['has room for a part of them', 2 * 1024],
  ])('are written for the others also by a worker whose memory %s', async (_name, bytesMax) => {
    const l2 = store()
    const l1 = new MemoryPrefixStore({ bytesMax, tenantShare: 1 })
    const one = scriptedWorker({ answer: 'a' }, 8, { l1, l2 })
    const two = scriptedWorker({ answer: 'a' }, 8, { l2 })
    await run(one.scheduler, request(PROMPT))
    expect((await l1.sample(BLOCKS)).length).toBeLessThan(BLOCKS)
    await eventually(() => expect(l2.usage().blocks).toBe(BLOCKS))
    const far = await run(two.scheduler, request(PROMPT))
    expect(far.meter?.cache).toMatchObject({ blocks: BLOCKS, source: 'l2' })
    await run(one.scheduler, other(1))
    vi.spyOn(one.cost, 'isWorthFetching').mockReturnValue(true)
    const again = await run(one.scheduler, request(PROMPT))
    expect(again.meter?.cache).toMatchObject({ blocks: BLOCKS, source: 'l2' })
    expect(again.text).toBe(far.text)
  })

  it('are never found by another tenant, near or far', async () => {
    const l2 = store()
    const one = scriptedWorker({ answer: 'a' }, 8, { l2 })
    const two = scriptedWorker({ answer: 'a' }, 8, { l2 })
    await run(one.scheduler, request(PROMPT))
    await eventually(() => expect(l2.usage().blocks).toBe(BLOCKS))
    for (const [tenant, { scheduler }] of Object.entries({ one, two })) {
      const { meter } = await run(scheduler, request(PROMPT, { tenant }))
      expect(meter).toMatchObject({ cachedInputTokens: 0, cache: { blocks: 0, source: 'none' } })
    }
  })

  it('that are not what their name says are computed, and removed', async () => {
    const l2 = store()
    const one = scriptedWorker({ answer: 'a' }, 8, { l2 })
    await run(one.scheduler, request(PROMPT))
    await eventually(() => expect(l2.usage().blocks).toBe(BLOCKS))
    const [wrong] = (await l2.sample(BLOCKS)).slice(2)
    const removed: string[] = []
    const lying: PrefixStore = Object.assign(Object.create(l2), {
      has: (names: readonly string[]) => l2.has(names),
      claim: () => Promise.resolve(null),
      put: () => Promise.resolve(),
      get: async (names: readonly string[]) =>
        (await l2.get(names)).map((block) =>
          block.name === wrong ? { ...block, tokens: block.tokens.with(7, 3) } : block,
        ),
      remove: async (name: string) => void removed.push(name),
    })
    const two = scriptedWorker({ answer: 'a' }, 8, { l2: lying })
    const { meter } = await run(two.scheduler, request(PROMPT))
    expect(meter?.cache.blocks).toBeLessThan(BLOCKS)
    expect(meter?.inputTokens).toBe(PROMPT.length - (meter?.cachedInputTokens ?? 0))
    expect(new Set(removed)).toEqual(new Set([wrong]))
  })

  it('that cannot be restored are computed and charged as computed, and forgotten', async () => {
    let fails = false
    const restore = () => {
      if (fails) throw new Error('the state is of another kind')
    }
    const { scheduler, engine, cache } = scriptedWorker({ answer: 'a', restore })
    await run(scheduler, request(PROMPT))
    await run(scheduler, other(1))
    fails = true
    const { meter, text } = await run(scheduler, request(PROMPT))
    expect([meter?.inputTokens, meter?.cachedInputTokens, text]).toEqual([PROMPT.length, 0, 'a'])
    expect(engine.replaced).toHaveLength(1)
    expect(cache.state()).toMatchObject({ restoreFailures: 1 })
    expect(scheduler.state().meterMismatches).toBe(0)
  })

  it('are fetched only when that is faster than computing them', async () => {
    const l2 = store()
    const one = scriptedWorker({ answer: 'a' }, 8, { l2 })
    await run(one.scheduler, request(PROMPT))
    await eventually(() => expect(l2.usage().blocks).toBe(BLOCKS))
    const two = scriptedWorker({ answer: 'a' }, 8, { l2 })
    const fast = vi.spyOn(two.cost, 'isWorthFetching').mockReturnValue(false)
    const { meter } = await run(two.scheduler, request(PROMPT))
    expect(fast).toHaveBeenCalledWith(BLOCKS * BLOCK_TOKENS, BLOCKS * BLOCK_TOKENS)
    expect(meter?.cachedInputTokens).toBe(0)
    expect(two.cache.state().notWorthFetching).toBeGreaterThan(0)
  })
})

describe('a store of all workers that rejects', () => {
  it('loses what it did not take, and is written the next prompt all the same', async () => {
    const l2 = store()
    const { scheduler, alarms } = scriptedWorker({ answer: 'a' }, 8, { l2 })
    const put = vi.spyOn(l2, 'put').mockRejectedValueOnce(new Error('a defect'))
    await run(scheduler, request(PROMPT))
    await eventually(() => expect(put).toHaveBeenCalled())
    await run(scheduler, other(1))
    await eventually(() => expect(l2.usage().blocks).toBeGreaterThan(0))
    expect(alarms).toEqual(['failed to write shared blocks, others compute them'])
  })
})

describe('prompts that begin alike, at the same time', () => {
  const prefills = (steps: readonly Step[]) => steps.filter(({ kind }) => kind === 'prefill').length
  const isDrawOf =
    (letter: string) =>
    ({ kind, tokens }: Step) =>
      kind === 'draw' && tokens.includes(letter.charCodeAt(0))

  it('are computed once: the second waits for what they have in common', async () => {
    const { scheduler, engine, cache } = scriptedWorker({
      answer: 'a',
      sequences: 2,
      step: () => new Promise((resolve) => setTimeout(resolve, 1)),
    })
    const common = PROMPT.slice(0, 3 * BLOCK_TOKENS)
    const [first, second] = await Promise.all([
      run(scheduler, request(`${common}${'x'.repeat(300)}`)),
      run(scheduler, request(`${common}${'y'.repeat(10)}`)),
    ])
    expect(first.meter?.cachedInputTokens).toBe(0)
    expect(second.meter).toMatchObject({ cachedInputTokens: 3 * BLOCK_TOKENS, inputTokens: 10 })
    // The second went on as soon as the third block was there, not when the first was done.
    const secondsOnly = engine.steps.findIndex(({ tokens }) => tokens.includes('y'.charCodeAt(0)))
    expect(secondsOnly).toBeLessThan(engine.steps.findIndex(isDrawOf('x')))
    expect(prefills(engine.steps)).toBe(6 + 1)
    expect(cache.state().waits).toBe(1)
  })

  it('each wait for what they share with the first, and no longer', async () => {
    const l1 = store()
    const put = vi.spyOn(l1, 'put')
    const step = () => new Promise<void>((resolve) => setTimeout(resolve, 1))
    const { scheduler, engine } = scriptedWorker({ answer: 'a', sequences: 3, step }, 8, { l1 })
    const [, second, third] = await Promise.all([
      run(scheduler, request(`${PROMPT.slice(0, 3 * BLOCK_TOKENS)}${'x'.repeat(300)}`)),
      run(scheduler, request(`${PROMPT.slice(0, BLOCK_TOKENS)}${'y'.repeat(10)}`)),
      run(scheduler, request(`${PROMPT.slice(0, 3 * BLOCK_TOKENS)}${'z'.repeat(10)}`)),
    ])
    expect(second.meter?.cachedInputTokens).toBe(BLOCK_TOKENS)
    expect(third.meter?.cachedInputTokens).toBe(3 * BLOCK_TOKENS)
    const begins = (letter: string) =>
      engine.steps.findIndex(({ tokens }) => tokens.includes(letter.charCodeAt(0)))
    expect(begins('y')).toBeLessThan(begins('z'))
    expect(begins('z')).toBeLessThan(engine.steps.findIndex(isDrawOf('x')))
    // Blocks are copied out for those who wait, and not with every chunk.
    expect(put.mock.calls.slice(0, 2).map(([, blocks]) => blocks.length)).toEqual([1, 2])
  })

  it('do not wait for the answer of the first: it hands over the blocks within it', async () => {
    const { scheduler, engine } = scriptedWorker({
      answer: 'a'.repeat(64),
      sequences: 2,
      step: () => new Promise((resolve) => setTimeout(resolve, 5)),
    })
    const first = run(scheduler, request(PROMPT))
    await eventually(() => expect(engine.steps.some(({ kind }) => kind === 'draw')).toBe(true))
    const { meter } = await run(scheduler, request(PROMPT, { maxOutputTokens: 1 }))
    expect(meter).toMatchObject({ cachedInputTokens: BLOCKS * BLOCK_TOKENS })
    expect(scheduler.state()).toMatchObject({ running: 1 })
    expect((await first).text).toBe('a'.repeat(64))
  })

  it('do not wait for one that was given up', async () => {
    const begun = Promise.withResolvers<void>()
    const hold = Promise.withResolvers<void>()
    const { scheduler } = scriptedWorker({
      answer: 'a',
      sequences: 2,
      step: async () => {
        begun.resolve()
        await hold.promise
      },
    })
    const asked = request(PROMPT)
    const first = run(scheduler, asked)
    await begun.promise
    const second = run(scheduler, request(PROMPT))
    scheduler.cancel(asked.requestId)
    hold.resolve()
    expect((await first).meter?.inputTokens).toBe(BLOCK_TOKENS)
    // What the first had computed until then is used.
    expect((await second).meter).toMatchObject({ cachedInputTokens: BLOCK_TOKENS })
    expect((await second).text).toBe('a')
  })

  it('can be cancelled while they wait', async () => {
    const begun = Promise.withResolvers<void>()
    const hold = Promise.withResolvers<void>()
    const l1 = store()
    const step = async () => {
      begun.resolve()
      await hold.promise
    }
    const script = { answer: 'a', sequences: 2, step }
    const { scheduler, cache } = scriptedWorker(script, 8, { l1 })
    const first = run(scheduler, request(PROMPT))
    await begun.promise
    const waiting = request(PROMPT)
    const second = run(scheduler, waiting)
    await eventually(() => expect(cache.state().waits).toBe(1))
    scheduler.cancel(waiting.requestId)
    expect((await second).last).toMatchObject({ finishReason: 'cancelled' })
    expect((await second).meter).toMatchObject({ inputTokens: 0, cachedInputTokens: 0 })
    hold.resolve()
    expect((await first).text).toBe('a')
    // Nobody waits any more: what the first computed is kept later.
    expect(l1.usage().blocks).toBe(0)
  })

  it('on two workers: the second waits for the first, which said that it computes them', async () => {
    const l2 = store()
    const slow = () => new Promise<void>((resolve) => setTimeout(resolve, 5))
    const one = scriptedWorker({ answer: 'a', step: slow }, 8, { l2 })
    const two = scriptedWorker({ answer: 'a', step: slow }, 8, { l2 })
    const first = run(one.scheduler, request(PROMPT))
    await eventually(() => expect(one.engine.steps).not.toHaveLength(0))
    const second = await run(two.scheduler, request(PROMPT))
    expect(second.meter).toMatchObject({ cache: { blocks: BLOCKS, source: 'l2' } })
    expect(prefills(two.engine.steps)).toBe(1)
    expect((await first).text).toBe(second.text)
  })
})
