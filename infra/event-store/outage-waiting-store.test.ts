import {
  type EventStore,
  NO_STREAM,
  START,
  StoreAwayError,
  StoreBusyError,
  StoreUnavailableError,
} from '@svc/contracts/ports/event-store'
import { ManualTime } from '@svc/testing/manual-time'
import { expect, test } from 'vitest'
import { newEvents } from './compliance/fixtures.ts'
import { MemoryEventStore } from './memory/memory-event-store.ts'
import { OutageWaitingStore } from './outage-waiting-store.ts'

const stream = 'account-1'
const read = { stream, direction: 'forwards', limit: 10 } as const
const readAll = { after: START, limit: 10 } as const
const append = { stream, expected: NO_STREAM, events: newEvents(1) }

/** A store whose reads and appends fail until the time comes. */
function storeAway(
  time: ManualTime,
  backAfterMs: number,
  error: Error = new StoreAwayError(''),
  isStarting = false,
) {
  const inner = new MemoryEventStore()
  const backAt = time.nowMs() + backAfterMs
  let calls = 0
  const orFail = <Arguments extends unknown[], Result>(
    call: (...given: Arguments) => Promise<Result>,
  ) => {
    return async (...given: Arguments): Promise<Result> => {
      calls += 1
      if (time.nowMs() < backAt) throw error
      return call(...given)
    }
  }
  const away = Object.assign(Object.create(inner) as EventStore, {
    append: orFail((request: typeof append) => inner.append(request)),
    readStream: orFail((request: typeof read) => inner.readStream(request)),
    readAll: orFail((request: typeof readAll) => inner.readAll(request)),
    lastPosition: orFail(() => inner.lastPosition()),
    close: () => inner.close(),
  })
  return { store: new OutageWaitingStore(away, time, isStarting), calls: () => calls }
}

test.each([500, 5_000, 9_000])('a store that is away for %i ms is waited for', async (awayMs) => {
  const time = new ManualTime()
  const { store, calls } = storeAway(time, awayMs)
  const done = Promise.all([store.readStream(read), store.append(append)])
  await time.advance(awayMs - 1)
  expect(calls()).toBeGreaterThan(2)
  await time.advance(1_000)
  expect(await done).toMatchObject([[], { kind: 'appended' }])
})

test('a store that stays away is waited for ten seconds, and no longer', async () => {
  const time = new ManualTime()
  const { store } = storeAway(time, 60_000)
  const calls = [store.readStream(read), store.append(append)]
  const outcomes = Promise.allSettled(calls)
  let isOver = false
  void outcomes.then(() => {
    isOver = true
  })
  await time.advance(9_999)
  expect(isOver).toBe(false)
  await time.advance(501)
  expect(isOver).toBe(true)
  for (const outcome of await outcomes) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(StoreAwayError) })
  }
})

test.each([
  ['is too busy', new StoreBusyError()],
  ['refuses', new StoreUnavailableError('the event store refuses its user')],
])('a store that %s says so at once', async (_what, error) => {
  const time = new ManualTime()
  const { store, calls } = storeAway(time, 60_000, error)
  await expect(store.readStream(read)).rejects.toBe(error)
  await expect(store.append(append)).rejects.toBe(error)
  expect(calls()).toBe(2)
})

test('the end of the store ends the waiting', async () => {
  const time = new ManualTime()
  const { store } = storeAway(time, 60_000)
  const waiting = store.readStream(read)
  waiting.catch(() => {})
  await time.advance(1_000)
  await store.close()
  await expect(waiting).rejects.toThrow(StoreAwayError)
})

test('who asks for the log is told at once that the store is away, but not during a start', async () => {
  const time = new ManualTime()
  const { store } = storeAway(time, 5_000, new StoreAwayError(''), true)
  const asked = Promise.all([store.lastPosition(), store.readAll(readAll)])
  await time.advance(6_000)
  expect(await asked).toEqual([START, []])

  const later = storeAway(time, 5_000, new StoreAwayError(''), true)
  later.store.started()
  await expect(later.store.lastPosition()).rejects.toThrow(StoreAwayError)
  await expect(later.store.readAll(readAll)).rejects.toThrow(StoreAwayError)
  expect(later.calls()).toBe(2)
})
