/** The last sequences of a worker are kept for tenants that have none. */
import { eventually } from '@svc/testing/eventually'
import { describe, expect, it } from 'vitest'
import { request, run, scriptedWorker } from '../../../testing/scripted-worker.ts'
import { gateFor, SHORT, slowWorker } from '../../../testing/slow-worker.ts'

describe('the last sequences', () => {
  const whole = { maxOutputTokens: 300 }

  it('are kept for who comes next while several tenants come', async () => {
    const { scheduler, putAside } = withSequences(4)
    await run(scheduler, request('b', SHORT))
    const many = ['a1', 'a2', 'a3', 'a4'].map((prompt) =>
      run(scheduler, request(prompt, { tenant: 'a', ...whole })),
    )
    await eventually(() => expect(scheduler.load).toMatchObject({ running: 3, queued: 1 }))
    await run(scheduler, request('b', SHORT))
    expect(putAside()).toBe(0)
    await Promise.all(many)
  })

  it('are given away where a line would be too long without them', async () => {
    const gate = gateFor('a')
    const { scheduler } = scriptedWorker({ answer: 'a', sequences: 4, step: gate.step }, 2)
    await run(scheduler, request('b', SHORT))
    const ask = () => run(scheduler, request('a', { tenant: 'a' }))
    const lined = [1, 2, 3, 4, 5].map(ask)
    await eventually(() => expect(scheduler.load).toMatchObject({ running: 3, queued: 2 }))
    const beyond = ask()
    expect(scheduler.load).toMatchObject({ running: 4, queued: 2 })
    expect(() => scheduler.submit(request('a', { tenant: 'a' }), async () => {})).toThrow(
      expect.objectContaining({ code: 'queue_full' }),
    )
    gate.open()
    const answers = await Promise.all([...lined, beyond])
    expect(answers.map(({ text }) => text)).toEqual(Array(6).fill('a'))
  })

  it('are given to one tenant where no other came', async () => {
    const { scheduler } = withSequences(4)
    const many = ['a1', 'a2', 'a3', 'a4'].map((prompt) =>
      run(scheduler, request(prompt, { tenant: 'a', ...whole })),
    )
    await eventually(() => expect(scheduler.load).toMatchObject({ running: 4, queued: 0 }))
    await Promise.all(many)
  })

  function withSequences(sequences: number) {
    const worker = slowWorker({ sequences })
    return { ...worker, putAside: () => worker.pool.copies.counts.total }
  }
})
