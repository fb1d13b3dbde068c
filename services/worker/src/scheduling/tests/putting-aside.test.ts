/** Long answers give way to those who wait, and come out as if they had not. */

import { setTimeout as delay } from 'node:timers/promises'
import type { GenerateEvent } from '@svc/contracts/worker/protocol'
import { eventually } from '@svc/testing/eventually'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { LONG_PROMPT, request, run } from '../../../testing/scripted-worker.ts'
import { gateFor, LONG, SHORT, slowWorker } from '../../../testing/slow-worker.ts'
import { bytes } from '../../engines/scripted/byte-vocabulary.ts'
import type { Script } from '../../engines/scripted/scripted-engine.ts'
import { TURN_MS } from '../giving-way.ts'

const long = (prompt: string, tenant = 'a') => request(prompt, { tenant, maxOutputTokens: 300 })

/** A long answer is put aside while the other tenant's prompt is computed. */
async function oneAside(script: Script = {}, changes: Parameters<typeof request>[1] = {}) {
  const gate = gateFor('b')
  const worker = slowWorker({ ...script, step: gate.step })
  const events: GenerateEvent[] = []
  const asked = request(`a${LONG_PROMPT}`, { tenant: 'a', maxOutputTokens: 300, ...changes })
  const ended = worker.scheduler.submit(asked, async (event) => void events.push(event))
  await eventually(() => expect(events.length).toBeGreaterThan(3))
  worker.turnPasses()
  const other = run(worker.scheduler, request('b', SHORT))
  await eventually(() => expect(gate.isReached()).toBe(true))
  return { ...worker, asked, events, ended, other, open: gate.open }
}

describe('a newcomer', () => {
  it('does not wait for the long answers of another tenant', async () => {
    const { scheduler, turnPasses } = slowWorker({ sequences: 2 })
    const ended: string[] = []
    const answers = ['a1', 'a2', 'a3'].map(async (prompt) => {
      const answer = await run(scheduler, long(prompt))
      ended.push(prompt)
      return answer
    })
    await delay(20)
    turnPasses()
    const { text } = await run(scheduler, request('b', SHORT))
    expect([text, ended]).toEqual(['aa', []])
    for (const answer of await Promise.all(answers)) {
      expect(answer.text).toBe(LONG)
      expect(answer.meter).toMatchObject({ inputTokens: 2, outputTokens: 300 })
    }
    expect(scheduler.state()).toMatchObject({ queued: 0, running: 0, meterMismatches: 0 })
  })

  it('gets a turn where there are more tenants than sequences, and so do the others', async () => {
    const { scheduler, engine } = slowWorker({ sequences: 1 })
    const answers = ['a', 'b', 'c'].map((tenant) => run(scheduler, long(tenant, tenant)))
    const seen = () => new Set(engine.steps.map(({ tokens }) => tokens[0]))
    await vi.waitFor(() => expect(seen().size).toBe(3), { timeout: 3 * TURN_MS })
    for (const { text } of await Promise.all(answers)) expect(text).toBe(LONG)
  })

  it('is served before a tenant that has a sequence already', async () => {
    const gate = gateFor('g')
    const { scheduler } = slowWorker({ sequences: 2, step: gate.step, answer: 'aa' })
    const order: string[] = []
    const ask = async (prompt: string, tenant: string) => {
      await run(scheduler, request(prompt, { tenant }))
      order.push(prompt)
    }
    const asked = [ask('g1', 'a'), ask('g2', 'c'), ask('a2', 'a'), ask('a3', 'a'), ask('b1', 'b')]
    gate.open()
    await Promise.all(asked)
    expect(order.indexOf('b1')).toBeLessThan(order.indexOf('a3'))
  })
})

describe('an answer that is put aside', () => {
  it('goes on as if nothing had been, and is not charged for it', async () => {
    const { scheduler, ended, other, open, events, engine, pool } = await oneAside()
    expect(scheduler.state()).toMatchObject({ queued: 1, running: 1 })
    const { total, requests, bytes: kept } = scheduler.state().putAside
    expect([total, requests]).toEqual([1, 1])
    // The scripted engine keeps one byte for each token.
    expect(kept).toBeGreaterThanOrEqual(385)
    open()
    await Promise.all([other, ended])
    const texts = events.flatMap((event) => (event.type === 'token' ? [event.text] : []))
    expect(texts.join('')).toBe(LONG)
    const counts = events.flatMap((event) => (event.type === 'token' ? [event.outputTokens] : []))
    expect(counts).toEqual(Array.from({ length: 300 }, (_, at) => at + 1))
    const meter = events.find((event) => event.type === 'meter')?.meter
    expect(meter).toMatchObject({ inputTokens: 385, cachedInputTokens: 0, outputTokens: 300 })
    expect(meter?.cache.evaluatedTokens).toBe(385)
    expect(engine.replaced).toEqual([])
    expect(pool.idle).toBe(1)
    expect(scheduler.state().putAside).toEqual({ total: 1, requests: 0, bytes: 0 })
    // Every token was computed once.
    const own = engine.steps.filter(({ tokens }) => tokens[0] === bytes('a')[0])
    expect(own.filter(({ kind }) => kind === 'draw')).toHaveLength(300)
  })

  it('within its prompt computes no chunk of it twice', async () => {
    let other: ReturnType<typeof run> | undefined
    const { scheduler, turnPasses, engine } = slowWorker({
      step: () => {
        turnPasses()
        other ??= run(scheduler, request('b', SHORT))
      },
    })
    const { meter, text } = await run(scheduler, long(`a${LONG_PROMPT}`))
    await other
    expect(text).toBe(LONG)
    expect(meter).toMatchObject({ inputTokens: 385, cachedInputTokens: 0 })
    expect(meter?.cache.evaluatedTokens).toBe(385)
    const chunks = engine.steps.filter(({ kind }) => kind === 'prefill')
    expect(chunks.map(({ tokens }) => tokens.length)).toEqual([128, 256, 384])
    expect(scheduler.state().meterMismatches).toBe(0)
  })

  it('can be cancelled, and is charged for what it made', async () => {
    const { scheduler, ended, other, open, events, asked, pool } = await oneAside()
    const made = events.length
    expect(scheduler.cancel(asked.requestId)).toBe(true)
    await ended
    const meter = events.find((event) => event.type === 'meter')?.meter
    expect(meter).toMatchObject({ inputTokens: 385, outputTokens: made })
    expect(events.at(-1)).toEqual({ type: 'done', finishReason: 'cancelled', stopText: null })
    expect(scheduler.state()).toMatchObject({ queued: 0, running: 1, ended: 1 })
    expect(pool.copies.counts).toMatchObject({ requests: 0, bytes: 0 })
    open()
    expect((await other).text).toBe('aa')
  })

  it('ends at its time limit', async () => {
    const { ended, other, open, events } = await oneAside({}, { timeLimitMs: 300 })
    await ended
    expect(events.at(-1)).toMatchObject({ type: 'error', code: 'time_limit' })
    open()
    await other
  })

  it('is not counted, and its copy is given back, when its sequence cannot be', async () => {
    const { pool, alarms } = slowWorker()
    const loan = await slowWorker().pool.lendEmpty()
    const copy = await loan.sequence.copy()
    const release = vi.spyOn(copy, 'release')
    vi.spyOn(loan.sequence, 'copy').mockResolvedValue(copy)
    expect(await pool.putAside(loan, 0)).toBeNull()
    expect(pool.copies.counts).toEqual({ total: 0, requests: 0, bytes: 0 })
    expect(release).toHaveBeenCalledOnce()
    expect(alarms).toEqual(['failed to put answer aside'])
  })

  it('is waited for by a worker that takes no more requests', async () => {
    const { scheduler, ended, other, open, events } = await oneAside()
    const drained = scheduler.drain()
    open()
    await drained
    await Promise.all([other, ended])
    expect(events.at(-1)).toMatchObject({ type: 'done', finishReason: 'length' })
  })

  it('keeps its sequence when there is no room for what it holds', async () => {
    const copy = () => {
      throw new Error('no space left on device')
    }
    const { scheduler, turnPasses, alarms } = slowWorker({ copy })
    const first = run(scheduler, long('a'))
    await delay(20)
    turnPasses()
    const second = run(scheduler, request('b', SHORT))
    expect((await first).text).toBe(LONG)
    expect((await second).text).toBe('aa')
    expect(alarms).toContain('failed to put answer aside')
  })

  it('is computed again when it cannot be put back, and not charged again', async () => {
    const load = () => {
      throw new Error('the state is of another kind')
    }
    const { ended, other, open, events, alarms, engine, scheduler } = await oneAside({ load })
    open()
    await Promise.all([other, ended])
    const texts = events.flatMap((event) => (event.type === 'token' ? [event.text] : []))
    expect(texts.join('')).toBe(LONG)
    const meter = events.find((event) => event.type === 'meter')?.meter
    expect(meter).toMatchObject({ inputTokens: 385, cachedInputTokens: 0, outputTokens: 300 })
    expect(alarms).toEqual(['failed to restore answer that was put aside, computing it again'])
    expect([engine.replaced.length, scheduler.state().meterMismatches]).toEqual([1, 0])
  })

  it('fails alone when it cannot be put back and no new sequence can be had', async () => {
    const load = () => {
      throw new Error('the state is of another kind')
    }
    const { engine, scheduler, events, ended, other, open } = await oneAside({ load })
    vi.spyOn(engine, 'replace').mockRejectedValueOnce(new Error('no memory'))
    open()
    await Promise.all([other, ended])
    expect(events.at(-1)).toMatchObject({ type: 'error' })
    expect(scheduler.state()).toMatchObject({ running: 0, queued: 0 })
    expect((await run(scheduler, request('c', SHORT))).text).toBe('aa')
  })

  it('whose client does not read leaves its sequence to others until it does', async () => {
    const { scheduler, turnPasses, pool } = slowWorker()
    const reader = Promise.withResolvers<void>()
    const events: GenerateEvent[] = []
    const ended = scheduler.submit(long('a'), async (event) => {
      events.push(event)
      if (events.length > 5) await reader.promise
    })
    await eventually(() => expect(events).toHaveLength(6))
    turnPasses()
    await run(scheduler, request('b', SHORT))
    await eventually(() => expect(pool.idle).toBe(1))
    expect(scheduler.state()).toMatchObject({ queued: 1, running: 0 })
    expect(events).toHaveLength(6)
    reader.resolve()
    await ended
    expect(events.at(-1)).toMatchObject({ type: 'done', finishReason: 'length' })
  })

  it('whose client does not read leaves its sequence once there is room for what it holds', async () => {
    let isRoom = false
    const copy = () => {
      if (!isRoom) throw new Error('no space left on device')
    }
    const { scheduler, turnPasses, alarms } = slowWorker({ copy })
    const reader = Promise.withResolvers<void>()
    onTestFinished(() => reader.resolve())
    let unread = 0
    const ended = scheduler.submit(long('a'), async () => {
      unread += 1
      if (unread > 5) await reader.promise
    })
    await eventually(() => expect(unread).toBe(6))
    turnPasses()
    const other = run(scheduler, request('b', SHORT))
    await eventually(() => expect(alarms).toContain('failed to put answer aside'))
    isRoom = true
    turnPasses()
    turnPasses()
    // Who comes makes the worker look again.
    const third = run(scheduler, request('c', { ...SHORT, tenant: 'c' }))
    expect([(await other).text, (await third).text]).toEqual(['aa', 'aa'])
    expect(unread).toBe(6)
    reader.resolve()
    await ended
  })
})

const arrival = fc.record({
  tenant: fc.constantFrom('a', 'b', 'c'),
  promptTokens: fc.integer({ min: 1, max: 400 }),
  outputTokens: fc.integer({ min: 1, max: 60 }),
  /** After this many steps of the engine. */
  afterSteps: fc.nat(200),
  cancelAfter: fc.option(fc.integer({ min: 1, max: 40 }), { freq: 5 }),
})

it('whoever comes when, every answer is whole and every token is charged once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(arrival, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 3 }),
      async (arrivals, sequences) => {
        let steps = 0
        const due = new Map<number, (() => void)[]>()
        const { scheduler, pool, turnPasses } = slowWorker({
          sequences,
          step: () => {
            steps += 1
            turnPasses()
            for (const go of due.get(steps) ?? []) go()
          },
        })
        const ask = async ({ tenant, promptTokens, outputTokens, cancelAfter }: Arrival) => {
          const prompt = tenant.repeat(promptTokens)
          const asked = request(prompt, { tenant, maxOutputTokens: outputTokens })
          const events: GenerateEvent[] = []
          await scheduler.submit(asked, async (event) => {
            events.push(event)
            if (events.length === cancelAfter) scheduler.cancel(asked.requestId)
          })
          return { asked, events }
        }
        const [first, ...later] = arrivals
        if (first === undefined) return
        const answers = later.map(async (each) => {
          const turn = new Promise<void>((resolve) => {
            due.set(each.afterSteps, [...(due.get(each.afterSteps) ?? []), resolve])
          })
          await Promise.race([turn, idle(() => scheduler.state())])
          return ask(each)
        })
        for (const { asked, events } of await Promise.all([ask(first), ...answers])) {
          const meter = events.find((event) => event.type === 'meter')?.meter
          const tokens = events.filter((event) => event.type === 'token')
          const text = tokens.map((event) => event.text).join('')
          expect(text).toBe('a'.repeat(meter?.outputTokens ?? -1))
          const whole = events.at(-1)
          expect(whole?.type).toBe('done')
          if (whole?.type === 'done' && whole.finishReason === 'length') {
            const { inputTokens = 0, cachedInputTokens = 0 } = meter ?? {}
            expect(inputTokens + cachedInputTokens).toBe(asked.tokens.length)
            expect(meter?.cache.evaluatedTokens).toBe(inputTokens)
            expect(meter?.outputTokens).toBe(asked.maxOutputTokens)
          }
        }
        await eventually(() => expect(pool.idle).toBe(sequences))
        expect(pool.copies.counts).toMatchObject({ requests: 0, bytes: 0 })
        expect(scheduler.state()).toMatchObject({ queued: 0, running: 0, meterMismatches: 0 })
      },
    ),
    { numRuns: 60 },
  )
})

type Arrival = (typeof arrival extends fc.Arbitrary<infer Value> ? Value : never) & {}

/** Resolves when nothing runs any more, so that nobody waits for steps that never come. */
async function idle(state: () => { running: number; queued: number }): Promise<void> {
  do await delay(5)
  while (state().running + state().queued > 0)
}
