/** A prompt stays in its sequence until there is time to copy it out, or somebody needs that. */

import { MemoryPrefixStore } from '@svc/infra/prefix-store/memory/memory-prefix-store'
import { eventually } from '@svc/testing/eventually'
import { ManualTime } from '@svc/testing/manual-time'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { request, run, scriptedWorker } from '../../../testing/scripted-worker.ts'
import type { Script } from '../../engines/scripted/scripted-engine.ts'
import { UNKEPT_PROMPTS_MAX } from '../sequences/unkept-prompts.ts'

const PROMPT = Array.from({ length: 20 }, (_, line) => `line ${line} of it. `).join('')
const BLOCKS = Math.ceil((PROMPT.length - 1) / 32)
const LONG_MS = 5_000

/** A worker whose time does not pass by itself, and that counts how often a sequence is copied. */
function worker(script: Script = {}, stores: { l2?: MemoryPrefixStore } = {}) {
  const time = new ManualTime()
  const l1 = new MemoryPrefixStore({ bytesMax: 1024 * 1024 })
  const copy = vi.fn()
  const made = scriptedWorker(
    { answer: 'a', cutsAnywhere: true, chunkTokens: 64, copy, ...script },
    8,
    {
      l1,
      timer: time,
      ...stores,
    },
  )
  const cachedOf = async (prompt: string) =>
    (await run(made.scheduler, request(prompt))).meter?.cachedInputTokens
  return { ...made, time, l1, copy, cachedOf }
}

describe('a prompt whose answer is over', () => {
  it('leaves its sequence to the next request at once', async () => {
    const { scheduler, pool, copy, cachedOf } = worker()
    await run(scheduler, request(PROMPT))
    expect(pool.idle).toBe(1)
    expect(await cachedOf(PROMPT)).toBe(PROMPT.length - 1)
    expect(copy).not.toHaveBeenCalled()
  })

  it('is copied out when nothing else was computed for a moment', async () => {
    const { time, l1, copy, cachedOf } = worker()
    await cachedOf(PROMPT)
    await time.advance(99)
    expect([copy.mock.calls.length, l1.usage().blocks]).toEqual([0, 0])
    await time.advance(1)
    expect([copy.mock.calls.length, l1.usage().blocks]).toEqual([1, BLOCKS])
    await cachedOf(PROMPT)
    await time.advance(LONG_MS)
    expect(copy).toHaveBeenCalledTimes(1)
  })

  it('is copied out two seconds later where a sequence is always lent', async () => {
    const reader = Promise.withResolvers<void>()
    const { scheduler, time, copy, cachedOf } = worker({ sequences: 2 })
    const other = scheduler.submit(request('z', { tenant: 'other' }), () => reader.promise)
    await cachedOf(PROMPT)
    await time.advance(1_999)
    expect(copy).not.toHaveBeenCalled()
    await time.advance(1)
    expect(copy).toHaveBeenCalledTimes(1)
    reader.resolve()
    await other
  })

  it('is copied out before its sequence is to hold another', async () => {
    const { l1, copy, cachedOf } = worker()
    await cachedOf(PROMPT)
    await cachedOf('another')
    await eventually(() => expect(l1.usage().blocks).toBe(BLOCKS))
    expect(copy).toHaveBeenCalledTimes(1)
    expect(await cachedOf(PROMPT)).toBe(PROMPT.length - 1)
  })

  it('is copied out before its end is cut away', async () => {
    const { cachedOf } = worker()
    await cachedOf(PROMPT)
    expect(await cachedOf(PROMPT.slice(0, 200))).toBe(199)
    expect(await cachedOf(PROMPT)).toBe(PROMPT.length - 1)
  })

  it('is copied out when another request waits for its beginning', async () => {
    const { copy, cachedOf } = worker({ sequences: 2 })
    await cachedOf(PROMPT)
    // Of another conversation that begins alike: it does not take the sequence.
    expect(await cachedOf(`${PROMPT.slice(0, 96)}${'x'.repeat(200)}`)).toBe(96)
    expect(copy).toHaveBeenCalledTimes(1)
    expect(await cachedOf(PROMPT)).toBe(PROMPT.length - 1)
  })

  it('is written for other workers at once, where these were told of it', async () => {
    const l2 = new MemoryPrefixStore({ bytesMax: 1024 * 1024 })
    const { cachedOf } = worker({}, { l2 })
    await cachedOf(PROMPT)
    await eventually(() => expect(l2.usage().blocks).toBe(BLOCKS))
  })

  it('is computed again when it could not be copied out', async () => {
    const copy = () => {
      throw new Error('no space left on device')
    }
    const { alarms, cachedOf } = worker({ copy })
    await cachedOf(PROMPT)
    expect(await cachedOf('another')).toBe(0)
    expect(await cachedOf(PROMPT)).toBe(0)
    expect(alarms).toContain('failed to copy blocks for the prefix cache')
  })
})

describe('turns of a conversation', () => {
  const turns = (count: number) =>
    Array.from({ length: count }, (_, turn) => `${PROMPT}${'And so on? '.repeat(turn)}`)

  it('are copied out once, and each of them is found again whole', async () => {
    const { copy, cachedOf } = worker()
    for (const prompt of turns(4)) await cachedOf(prompt)
    expect(copy).not.toHaveBeenCalled()
    await cachedOf('another')
    expect(copy).toHaveBeenCalledTimes(1)
    for (const prompt of turns(4)) expect(await cachedOf(prompt)).toBe(prompt.length - 1)
  })

  it('are copied out by and by where there are many', async () => {
    const { copy, cachedOf } = worker()
    for (const prompt of turns(UNKEPT_PROMPTS_MAX + 1)) await cachedOf(prompt)
    expect(copy).toHaveBeenCalledTimes(1)
  })

  it('hand over what they went on from, when somebody waits for it', async () => {
    const within = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    const [first = '', second = ''] = turns(2)
    const step = async ({ kind, tokens }: { kind: string; tokens: readonly number[] }) => {
      if (kind !== 'prefill' || tokens.length !== second.length - 1) return
      reached.resolve()
      await within.promise
    }
    const { scheduler, cachedOf } = worker({ sequences: 2, step })
    await cachedOf(first)
    const later = run(scheduler, request(second))
    await reached.promise
    const again = cachedOf(first)
    within.resolve()
    expect(await again).toBe(first.length - 1)
    expect((await later).meter?.cachedInputTokens).toBe(first.length - 1)
  })
})

describe('a prompt whose answer is under way', () => {
  it('is handed over, also while its client does not read', async () => {
    const { scheduler, cachedOf } = worker({ sequences: 3, answer: 'abc' })
    const reader = Promise.withResolvers<void>()
    const answering = Promise.withResolvers<void>()
    const stalled = scheduler.submit(request(PROMPT), () => {
      answering.resolve()
      return reader.promise
    })
    await answering.promise
    const others = [cachedOf(PROMPT), cachedOf(`${PROMPT.slice(0, 96)}${'x'.repeat(200)}`)]
    expect(await Promise.all(others)).toEqual([PROMPT.length - 1, 96])
    reader.resolve()
    await stalled
  })
})

/** A prompt made of a few parts that other prompts have too. */
const asked = fc.record({
  tenant: fc.constantFrom('a', 'b'),
  prompt: fc
    .array(fc.tuple(fc.constantFrom('x', 'y'), fc.integer({ min: 1, max: 90 })), {
      minLength: 1,
      maxLength: 4,
    })
    .map((parts) => parts.map(([letter, length]) => letter.repeat(length)).join('')),
})

/** A begun block is looked for among those that were copied out by then. */
const begunTokensMax = (cutsAnywhere: boolean) => (cutsAnywhere ? 31 : 0)

it('whenever prompts are copied out, as much is found again, but for a begun block', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(asked, { minLength: 2, maxLength: 12 }),
      fc.integer({ min: 1, max: 3 }),
      fc.boolean(),
      async (requests, sequences, cutsAnywhere) => {
        const [atOnce, later] = [{}, {}].map(() => worker({ sequences, cutsAnywhere }))
        if (atOnce === undefined || later === undefined) return
        for (const { tenant, prompt } of requests) {
          const before = await run(atOnce.scheduler, request(prompt, { tenant }))
          await atOnce.time.advance(LONG_MS)
          const since = await run(later.scheduler, request(prompt, { tenant }))
          const cached = [before, since].map(({ meter }) => meter?.cachedInputTokens ?? -1)
          expect(Math.min(...cached)).toBeGreaterThanOrEqual(0)
          const difference = Math.max(...cached) - Math.min(...cached)
          expect(difference).toBeLessThanOrEqual(begunTokensMax(cutsAnywhere))
          for (const { meter } of [before, since]) {
            expect((meter?.inputTokens ?? -1) + (meter?.cachedInputTokens ?? -1)).toBe(
              prompt.length,
            )
          }
        }
        expect([...atOnce.alarms, ...later.alarms]).toEqual([])
      },
    ),
    { numRuns: 100 },
  )
})
