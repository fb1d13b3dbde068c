/** While nobody wants the model, answers are read for the next turn of their conversation. */

import { MemoryPrefixStore } from '@svc/infra/prefix-store/memory/memory-prefix-store'
import { ManualTime } from '@svc/testing/manual-time'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import {
  request,
  run,
  type ScriptedParts,
  scriptedWorker,
} from '../../../testing/scripted-worker.ts'
import type { Script } from '../../engines/scripted/scripted-engine.ts'
import { auditCache } from '../../prefix-cache/audit.ts'

const PROMPT = 'what is it, and why? '.repeat(10)
const ANSWER = 'it is what it is, '.repeat(12)
const NEXT = `${PROMPT}${ANSWER}And now?`
const TURN = { maxOutputTokens: ANSWER.length }

function worker(script: Script = {}, parts: ScriptedParts = {}) {
  const time = new ManualTime()
  const made = scriptedWorker(
    { answer: ANSWER, cutsAnywhere: true, chunkTokens: 64, ...script },
    8,
    { timer: time, nowMs: () => time.nowMs(), readsAnswers: true, ...parts },
  )
  const cachedOf = async (prompt: string, tenant = 't') => {
    const { meter } = await run(made.scheduler, request(prompt, { ...TURN, tenant }))
    expect(meter?.inputTokens).toBe(prompt.length - (meter?.cachedInputTokens ?? 0))
    return meter?.cachedInputTokens
  }
  const readTokens = () => made.scheduler.state().cache.answerTokensRead
  return { ...made, time, cachedOf, readTokens }
}

describe('an answer', () => {
  it('is read when no request has run for a moment, and costs the next turn no input', async () => {
    const { time, cachedOf, readTokens, alarms } = worker()
    await cachedOf(PROMPT)
    await time.advance(99)
    expect(readTokens()).toBe(0)
    await time.advance(1)
    expect(readTokens()).toBe(ANSWER.length)
    expect(await cachedOf(NEXT)).toBe(PROMPT.length + ANSWER.length - 1)
    expect(alarms).toEqual([])
  })

  it('is not read in a short gap between requests of others', async () => {
    const { time, cachedOf, readTokens } = worker({ sequences: 2 })
    await cachedOf(PROMPT)
    for (let gap = 0; gap < 5; gap += 1) {
      await time.advance(70)
      await cachedOf('another', 'other')
    }
    await time.advance(99)
    expect(readTokens()).toBe(0)
    await time.advance(1)
    expect(readTokens()).toBeGreaterThan(0)
  })

  it('is read by the next turn where that comes at once', async () => {
    const { cachedOf, readTokens } = worker()
    await cachedOf(PROMPT)
    expect(await cachedOf(NEXT)).toBe(PROMPT.length - 1)
    expect(readTokens()).toBe(0)
  })

  it('is kept with its prompt by one copy, for when the sequence holds another', async () => {
    const copy = vi.fn()
    const { time, cachedOf } = worker({ copy })
    await cachedOf(PROMPT)
    await time.advance(200)
    expect(copy).toHaveBeenCalledTimes(1)
    await cachedOf('another', 'other')
    expect(await cachedOf(NEXT)).toBe(PROMPT.length + ANSWER.length - 1)
    await cachedOf('another', 'other')
    expect(await cachedOf(PROMPT)).toBe(PROMPT.length - 1)
  })

  it('is read from its prompt on where that was too short to be filled up', async () => {
    const { time, cachedOf, alarms } = worker()
    await cachedOf('why?')
    await time.advance(200)
    expect(await cachedOf(`why?${ANSWER}And now?`)).toBe('why?'.length + ANSWER.length - 1)
    await cachedOf('another', 'other')
    expect(await cachedOf('why?')).toBe('why?'.length - 1)
    expect(alarms).toEqual([])
  })

  it('is read as far as whole chunks go where memory can be cut between these only', async () => {
    const { time, cachedOf } = worker({ cutsAnywhere: false, chunkTokens: 128 })
    await cachedOf(PROMPT)
    await time.advance(200)
    const whole = PROMPT.length + ANSWER.length - 1
    expect(await cachedOf(NEXT)).toBe(whole - (whole % 128))
  })

  it('is nobody else’s, and not charged', async () => {
    const { time, cachedOf, scheduler } = worker()
    await cachedOf(PROMPT)
    const { totals } = scheduler.state()
    await time.advance(200)
    expect(scheduler.state().totals).toEqual(totals)
    expect(await cachedOf(NEXT, 'other')).toBe(0)
  })

  it('is not read where that is switched off, nor after an interrupted request', async () => {
    const off = worker({}, { readsAnswers: false })
    await off.cachedOf(PROMPT)
    await off.time.advance(20_000)
    expect(off.readTokens()).toBe(0)
    const { scheduler, time, readTokens } = worker()
    const asked = request(PROMPT, TURN)
    await scheduler.submit(asked, async ({ type }) => {
      if (type === 'token') scheduler.cancel(asked.requestId)
    })
    await time.advance(20_000)
    expect(readTokens()).toBe(0)
  })
})

describe('a request that begins while an answer is read', () => {
  /** Stops in the batch that has as many tokens. */
  function stopping(script: Script = {}) {
    const reached = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const step: Script['step'] = async ({ kind, tokens }) => {
      if (kind !== 'prefill' || tokens.length !== PROMPT.length + 63) return
      reached.resolve()
      await goOn.promise
    }
    return { ...worker({ ...script, step }), reached: reached.promise, goOn: goOn.resolve }
  }

  it('waits for one batch of it, and what was read is not lost', async () => {
    const { time, cachedOf, readTokens, reached, goOn, alarms } = stopping({ sequences: 2 })
    await cachedOf(PROMPT)
    const passing = time.advance(100)
    await reached
    const other = cachedOf('another', 'other')
    goOn()
    expect(await other).toBe(0)
    await passing
    expect(readTokens()).toBe(64)
    await time.advance(200)
    const ofOther = 'another'.length - 1 + ANSWER.length
    expect(readTokens()).toBe(ANSWER.length + ofOther)
    expect(await cachedOf(NEXT)).toBe(PROMPT.length + ANSWER.length - 1)
    expect(alarms).toEqual([])
  })

  it('goes on from that batch, if it is the next turn', async () => {
    const { time, cachedOf, reached, goOn, alarms } = stopping()
    await cachedOf(PROMPT)
    const passing = time.advance(100)
    await reached
    const next = cachedOf(NEXT)
    goOn()
    expect(await next).toBe(PROMPT.length + 63)
    await passing
    expect(alarms).toEqual([])
  })

  it('takes nothing from a sequence whose prompt is being computed as a longer one', async () => {
    const within = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    const step: Script['step'] = async ({ kind, tokens }) => {
      if (kind !== 'prefill' || tokens.length < 64) return
      reached.resolve()
      await within.promise
    }
    const restore = vi.fn()
    const { time, cachedOf } = worker({ step, restore })
    await cachedOf('why?')
    const passing = time.advance(100)
    await reached.promise
    const again = cachedOf('why?')
    within.resolve()
    expect(await again).toBe('why?'.length - 1)
    expect(restore).toHaveBeenCalledTimes(1)
    await passing
  })

  it('is refused by a worker that is to end, which ends after that batch', async () => {
    const { time, cachedOf, readTokens, scheduler, reached, goOn } = stopping()
    await cachedOf(PROMPT)
    const passing = time.advance(100)
    await reached
    const drained = scheduler.drain()
    goOn()
    await drained
    await passing
    await time.advance(20_000)
    expect(readTokens()).toBe(64)
  })

  it('gets a new sequence where reading has failed', async () => {
    let fails = true
    const step: Script['step'] = async ({ kind, tokens }) => {
      if (kind === 'prefill' && tokens.length > PROMPT.length && fails) throw new Error('no memory')
    }
    const { time, cachedOf, alarms } = worker({ step })
    await cachedOf(PROMPT)
    await time.advance(100)
    fails = false
    expect(alarms).toEqual(['failed to read answer ahead'])
    expect(await cachedOf(PROMPT)).toBe(0)
    expect(await cachedOf(PROMPT)).toBe(PROMPT.length - 1)
  })
})

/** A conversation of a tenant: the lengths of what is said in each of its turns. */
const conversation = fc.record({
  tenant: fc.constantFrom('a', 'b'),
  turns: fc.array(fc.tuple(fc.integer({ min: 1, max: 90 }), fc.constantFrom(0, 50, 100, 300)), {
    minLength: 1,
    maxLength: 4,
  }),
})

it('whatever is asked when, what is cached has the bytes that a prompt has', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(conversation, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 3 }),
      fc.boolean(),
      async (conversations, sequences, cutsAnywhere) => {
        const l1 = new MemoryPrefixStore({ bytesMax: 1024 * 1024 })
        // What was drawn has other bytes than what was read.
        const batchMark = ({ rows }: { readonly rows: number }) => (rows === 1 ? 1 : 0)
        const script = { sequences, cutsAnywhere, chunkTokens: 64, answer: 'yes. '.repeat(20) }
        const one = worker(cutsAnywhere ? { ...script, batchMark } : script, { l1 })
        const hold = async ({ tenant, turns }: (typeof conversations)[number]) => {
          let prompt = ''
          for (const [said, pauseMs] of turns) {
            prompt += 'x'.repeat(said)
            const maxOutputTokens = 100
            const asked = request(prompt, { tenant, maxOutputTokens })
            const { meter, text } = await run(one.scheduler, asked)
            expect(meter?.inputTokens).toBe(prompt.length - (meter?.cachedInputTokens ?? 0))
            prompt += text
            await one.time.advance(pauseMs)
          }
        }
        await Promise.all(conversations.map(hold))
        await one.time.advance(20_000)
        const audited = await auditCache(one.cache, 1_000, (work) =>
          one.scheduler.withSequence(({ sequence }) => work(sequence)),
        )
        expect(audited).toMatchObject({ gone: 0, differing: [] })
        expect(one.scheduler.state().meterMismatches).toBe(0)
        expect(one.alarms).toEqual([])
      },
    ),
    { numRuns: 60 },
  )
})
