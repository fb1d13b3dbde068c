import { ManualTime } from '@svc/testing/manual-time'
import { expect, test } from 'vitest'
import { Pace } from './pace.ts'

const NEVER = new AbortController().signal

function paced(perSecond: number) {
  const time = new ManualTime()
  const startMs = time.nowMs()
  const pace = new Pace({ perSecond, clock: time, timer: time })
  const tookMs = async (account: string, units = 1, gone = NEVER) => {
    await pace.take(account, units, gone)
    return time.nowMs() - startMs
  }
  return { time, tookMs }
}

test('what is asked for in a second is free, the rest comes one after the other', async () => {
  const { time, tookMs } = paced(10)
  const asked = Promise.all(Array.from({ length: 13 }, () => tookMs('a')))
  await time.advance(10_000)
  expect(await asked).toEqual([...Array(10).fill(0), 100, 200, 300])
})

test('of what was not asked for no more is saved up than is said', async () => {
  const time = new ManualTime()
  const startMs = time.nowMs()
  const pace = new Pace({ perSecond: 10, burstMs: 100, clock: time, timer: time })
  await time.advance(60_000)
  const asked = Array.from({ length: 4 }, async () => {
    await pace.take('a', 1, NEVER)
    return time.nowMs() - startMs
  })
  await time.advance(10_000)
  expect(await Promise.all(asked)).toEqual([60_000, 60_100, 60_200, 60_300])
})

test('another account does not wait', async () => {
  const { time, tookMs } = paced(10)
  const many = Promise.all(Array.from({ length: 100 }, () => tookMs('a')))
  expect(await tookMs('b')).toBe(0)
  await time.advance(60_000)
  await many
})

test('a second that was not used is all that is saved up', async () => {
  const { time, tookMs } = paced(10)
  await time.advance(3_600_000)
  const asked = Promise.all([tookMs('a', 10), tookMs('a', 10)])
  await time.advance(60_000)
  expect(await asked).toEqual([3_600_000, 3_601_000])
})

test('who leaves waits no longer', async () => {
  const { tookMs } = paced(1)
  const gone = new AbortController()
  const asked = tookMs('a', 30, gone.signal)
  gone.abort()
  expect(await asked).toBe(0)
})

test('nobody waits for more than a minute, and without a limit not at all', async () => {
  const { time, tookMs } = paced(1)
  const asked = tookMs('a', 1_000_000)
  await time.advance(60_000)
  expect(await asked).toBeLessThanOrEqual(60_000)
  expect(await paced(0).tookMs('a', 1_000_000)).toBe(0)
})

test('whoever has to wait waits the least time, and still one after the other', async () => {
  const time = new ManualTime()
  const startMs = time.nowMs()
  const pace = new Pace({ perSecond: 10, leastWaitMs: 250, clock: time, timer: time })
  const asked = Array.from({ length: 14 }, async () => {
    await pace.take('a', 1, NEVER)
    return time.nowMs() - startMs
  })
  await time.advance(10_000)
  expect((await Promise.all(asked)).slice(9)).toEqual([0, 250, 250, 300, 400])
})

test('a long line moves faster towards its end, and nobody waits longer than the bound', async () => {
  const time = new ManualTime()
  const startMs = time.nowMs()
  const pace = new Pace({ perSecond: 10, waitMsMax: 5_000, clock: time, timer: time })
  const asked = Array.from({ length: 300 }, async () => {
    await pace.take('a', 1, NEVER)
    return time.nowMs() - startMs
  })
  for (let ms = 0; ms < 6_000; ms += 1) await time.advance(1)
  const took = await Promise.all(asked)
  expect(took.slice(9, 12)).toEqual([0, 100, 200])
  expect(Math.max(...took)).toBeLessThanOrEqual(5_000)
  const atTheSameMoment = [...Map.groupBy(took.slice(10), (ms) => ms).values()]
  expect(Math.max(...atTheSameMoment.map(({ length }) => length))).toBeLessThan(30)
})
