import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { request, run, scriptedWorker } from '../../testing/scripted-worker.ts'
import { latenciesOf } from './last-events.ts'

/** `performance.now()` gives such numbers. */
const SUBMITTED_MS = 8123.456789012

describe('the latencies of a run', () => {
  it('count from when the request was taken, but for the prompt, which counts from its start', () => {
    const times = { submittedMs: 100, startedMs: 110, promptDoneMs: 150, firstTokenMs: 155 }
    expect(latenciesOf(times, 200)).toEqual({
      queueMs: 10,
      prefillMs: 40,
      firstTokenMs: 55,
      totalMs: 100,
    })
  })

  it('of a run that never started are all waiting', () => {
    const times = { submittedMs: 100, startedMs: null, promptDoneMs: null, firstTokenMs: null }
    expect(latenciesOf(times, 107)).toEqual({
      queueMs: 7,
      prefillMs: 0,
      firstTokenMs: null,
      totalMs: 7,
    })
  })

  it('are stored for ever, so they are whole microseconds: three decimals at most', () => {
    const step = fc.double({ min: 0, max: 1e6, noNaN: true })
    fc.assert(
      fc.property(step, step, step, step, (queued, prompt, token, rest) => {
        const startedMs = SUBMITTED_MS + queued
        const promptDoneMs = startedMs + prompt
        const firstTokenMs = promptDoneMs + token
        const times = { submittedMs: SUBMITTED_MS, startedMs, promptDoneMs, firstTokenMs }
        for (const [name, value] of Object.entries(latenciesOf(times, firstTokenMs + rest))) {
          expect(JSON.stringify(value), name).toMatch(/^\d+(\.\d{1,3})?$/)
        }
      }),
    )
  })

  it('are in the meter so', async () => {
    const { scheduler } = scriptedWorker({ answer: 'abc' })
    const { meter } = await run(scheduler, request('hi'))
    for (const [name, value] of Object.entries(meter?.latencies ?? { none: 'no meter' })) {
      expect(JSON.stringify(value), name).toMatch(/^\d+(\.\d{1,3})?$/)
    }
  })
})
