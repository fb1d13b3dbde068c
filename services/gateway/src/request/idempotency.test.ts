import { ManualTime } from '@svc/testing/manual-time'
import { expect, test } from 'vitest'
import { Idempotency } from './idempotency.ts'

const CLAIM = { logged: { keyHash: 'key', bodyHash: 'body' }, formerBodyHash: 'body' }
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

test.each([-HOUR_MS, HOUR_MS])(
  'a retry waits a minute for the request of its key, also when the clock is set by %i ms',
  async (jumpMs) => {
    const time = new ManualTime()
    let aheadMs = 0
    const idempotency = idempotencyAt(time, { nowMs: () => time.nowMs() + aheadMs })
    const { signal } = new AbortController()
    await idempotency.enter('acct', CLAIM, signal)
    const outcome = idempotency.enter('acct', CLAIM, signal).catch(({ code }) => code)
    let isOver = false
    void outcome.then(() => {
      isOver = true
    })
    await time.advance(0)
    aheadMs = jumpMs
    await time.advance(MINUTE_MS - 1)
    expect(isOver).toBe(false)
    await time.advance(1)
    expect(isOver).toBe(true)
    expect(await outcome).toBe('idempotency_key_in_use')
  },
)

test('one that leaves while it waits is told that the first one runs', async () => {
  const time = new ManualTime()
  const idempotency = idempotencyAt(time, time)
  await idempotency.enter('acct', CLAIM, new AbortController().signal)
  const leaving = new AbortController()
  const waits = idempotency.enter('acct', CLAIM, leaving.signal).catch(({ code }) => code)
  await time.advance(1)
  leaving.abort()
  expect(await waits).toBe('idempotency_key_in_use')
})

test('of two that wait for a request without a charge one runs, and the other waits for it', async () => {
  const time = new ManualTime()
  const idempotency = idempotencyAt(time, time)
  const { signal } = new AbortController()
  const first = await idempotency.enter('acct', CLAIM, signal)
  const waiting = [1, 2].map(() => idempotency.enter('acct', CLAIM, signal))
  const kinds: string[] = []
  for (const each of waiting) void each.then(({ kind }) => kinds.push(kind))
  if (first.kind !== 'run') throw new Error('the first one does not run')
  first.leave()
  await time.advance(1)
  expect(kinds).toEqual(['run'])
  const second = await Promise.race(waiting)
  if (second.kind !== 'run') throw new Error('the second one does not run')
  second.leave()
  await time.advance(1)
  expect(kinds).toEqual(['run', 'run'])
})

function idempotencyAt(time: ManualTime, clock: { nowMs(): number }): Idempotency {
  return new Idempotency({
    ledger: { idempotent: async () => undefined },
    recordedAnswers: { load: async () => undefined, save: async () => {} },
    clock,
    steadyClock: time,
    timer: time,
    reach: () => {},
    logger: { error: () => {} },
  })
}
