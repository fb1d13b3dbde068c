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
