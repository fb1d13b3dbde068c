import { ManualTime } from '@svc/testing/manual-time'
import { expect, test } from 'vitest'
import { Backoff } from './backoff.ts'

const BOUNDS = { firstMs: 100, longestMs: 1_000 }

/** Measures by the manual clock how long a pause takes. */
async function pauseMs(time: ManualTime, backoff: Backoff): Promise<number> {
  const from = time.nowMs()
  await time.until(backoff.pause())
  return time.nowMs() - from
}

test('each pause takes twice as long as the one before, up to the longest', async () => {
  const time = new ManualTime()
  const backoff = new Backoff(time, BOUNDS)
  const taken: number[] = []
  for (let at = 0; at < 6; at += 1) taken.push(await pauseMs(time, backoff))
  expect(taken).toEqual([100, 200, 400, 800, 1_000, 1_000])
})

test('the longest is not passed after any number of pauses', () => {
  const backoff = new Backoff(new ManualTime(), BOUNDS)
  for (let at = 0; at < 5_000; at += 1) backoff.take()
  expect(backoff.nextMs).toBe(1_000)
})

test('to look at the next pause does not count as one', async () => {
  const time = new ManualTime()
  const backoff = new Backoff(time, BOUNDS)
  expect([backoff.nextMs, backoff.nextMs, backoff.pauses]).toEqual([100, 100, 0])
  expect(await pauseMs(time, backoff)).toBe(100)
  expect([backoff.nextMs, backoff.pauses]).toEqual([200, 1])
})

test('it begins anew after a reset', async () => {
  const time = new ManualTime()
  const backoff = new Backoff(time, BOUNDS)
  expect([backoff.take(), backoff.take()]).toEqual([100, 200])
  backoff.reset()
  expect(backoff.pauses).toBe(0)
  expect(await pauseMs(time, backoff)).toBe(100)
})

test('an abort ends a pause at once, and one that came before lets none begin', async () => {
  let planned = 0
  const timer = {
    after() {
      planned += 1
      return () => {
        planned -= 1
      }
    },
  }
  const backoff = new Backoff(timer, BOUNDS)
  const leaving = new AbortController()
  const waiting = backoff.pause(leaving.signal)
  expect(planned).toBe(1)
  leaving.abort()
  await waiting
  expect(planned).toBe(0)
  await backoff.pause(leaving.signal)
  expect(planned).toBe(0)
})
