import {
  type EventStore,
  NO_STREAM,
  type Position,
  PositionBeyondEndError,
  type RecordedEvent,
  START,
  type SubscriptionBatch,
} from '@svc/contracts/ports/event-store'
import { describe, expect, test } from 'vitest'
import {
  fillStream,
  type GetBench,
  idsOf,
  mustAppend,
  newEvents,
  readWholeLog,
} from './fixtures.ts'

const stream = 'account-1'

export function describeSubscribing(bench: GetBench): void {
  describeFollowing(bench)
  describeEnds(bench)
}

function describeFollowing(bench: GetBench): void {
  describe('a subscription', () => {
    test('catches up in batches of at most the asked size, then says so', async () => {
      const { store } = bench()
      await fillStream(store, stream, 25)
      const batches = await batchesUntil(store, { batchSize: 10 }, ({ caughtUp }) => caughtUp)
      expect(batches.every(({ events }) => events.length <= 10)).toBe(true)
      expect(batches.map(({ caughtUp }) => caughtUp).indexOf(true)).toBe(batches.length - 1)
      expect(batches.flatMap(({ events }) => events)).toEqual(await readWholeLog(store))
    })

    test('of an empty log is caught up at once, and then waits for the first event', async () => {
      const { store } = bench()
      const { iterator, abort } = open(store)
      expect(await iterator.next()).toEqual({ done: false, value: { events: [], caughtUp: true } })
      const next = nextEvents(iterator)
      await fillStream(store, stream, 1)
      expect(await next).toEqual(await readWholeLog(store))
      abort()
    })

    test('misses and repeats nothing while others write', async () => {
      const { store } = bench()
      await fillStream(store, 'account-0', 150, { batch: 50 })
      const seen = eventsUntil(store, { batchSize: 16 }, 150 + 600)
      await Promise.all(
        [1, 2, 3].map((account) => fillStream(store, `account-${account}`, 200, { batch: 4 })),
      )
      expect(idsOf(await seen)).toEqual(idsOf(await readWholeLog(store)))
    })

    test('waits for a slow consumer, and drops nothing', async () => {
      const { store } = bench()
      const { iterator, abort } = open(store, { batchSize: 50 })
      expect((await iterator.next()).value).toEqual({ events: [], caughtUp: true })
      await fillStream(store, stream, 1)
      const seen = [...(await nextEvents(iterator))]
      await fillStream(store, 'account-2', 2_000)
      while (seen.length < 2_001) {
        const events = await nextEvents(iterator)
        expect(events.length).toBeLessThanOrEqual(50)
        seen.push(...events)
      }
      expect(idsOf(seen)).toEqual(idsOf(await readWholeLog(store)))
      abort()
    })

    test('resumes behind any position, also in the middle of an append', async () => {
      const { store } = bench()
      await fillStream(store, stream, 6, { batch: 3 })
      await fillStream(store, 'account-2', 6, { batch: 2 })
      const all = await readWholeLog(store)
      for (const [at, { position }] of all.entries()) {
        const request = { after: position, batchSize: 4 }
        const batches = await batchesUntil(store, request, ({ caughtUp }) => caughtUp)
        expect(batches.flatMap(({ events }) => events)).toEqual(all.slice(at + 1))
      }
    })

    test('resumes in the next process behind the position of an append', async () => {
      const first = await mustAppend(bench().store, stream, NO_STREAM, newEvents(2))
      const store = await bench().reopen()
      const later = newEvents(2)
      await mustAppend(store, stream, first.head, later)
      expect(idsOf(await eventsUntil(store, { after: first.position }, 2))).toEqual(idsOf(later))
    })
  })
}

function describeEnds(bench: GetBench): void {
  describe('the bounds and the end of a subscription', () => {
    test('behind the end of the log is refused: it is another log', async () => {
      const { store } = bench()
      await fillStream(store, stream, 1)
      const after = (await store.lastPosition()) + 1_000_000n
      const { iterator } = open(store, { after })
      await expect(iterator.next()).rejects.toThrow(PositionBeyondEndError)
    })

    test.each([0, 10_001])('with batches of %d events is refused', async (batchSize) => {
      const { iterator } = open(bench().store, { batchSize })
      await expect(iterator.next()).rejects.toThrow(RangeError)
    })

    test('ends when it is aborted: before it starts, while it waits, between batches', async () => {
      const { store } = bench()
      const never = open(store)
      never.abort()
      expect(await never.iterator.next()).toMatchObject({ done: true })

      const waiting = open(store)
      await waiting.iterator.next()
      const next = waiting.iterator.next()
      waiting.abort()
      expect(await next).toMatchObject({ done: true })

      await fillStream(store, stream, 10)
      const reading = open(store, { batchSize: 5 })
      await reading.iterator.next()
      reading.abort()
      expect(await reading.iterator.next()).toMatchObject({ done: true })
    })

    test('is one of many, and each sees everything', async () => {
      const { store } = bench()
      const subscribers = Array.from({ length: 20 }, (_, at) =>
        eventsUntil(store, { batchSize: 1 + at }, 120),
      )
      await Promise.all([1, 2, 3].map((n) => fillStream(store, `account-${n}`, 40, { batch: 5 })))
      const all = idsOf(await readWholeLog(store))
      for (const seen of await Promise.all(subscribers)) expect(idsOf(seen)).toEqual(all)
    })

    test('ends when the store is closed', async () => {
      const { store } = bench()
      const { iterator } = open(store)
      await iterator.next()
      const next = iterator.next()
      await store.close()
      expect(await next).toMatchObject({ done: true })
    })
  })
}

interface Options {
  readonly after?: Position
  readonly batchSize?: number
}

function open(store: EventStore, { after = START, batchSize = 100 }: Options = {}) {
  const controller = new AbortController()
  const batches = store.subscribe({ after, batchSize, signal: controller.signal })
  return { iterator: batches[Symbol.asyncIterator](), abort: () => controller.abort() }
}

async function batchesUntil(
  store: EventStore,
  options: Options,
  isLast: (batch: SubscriptionBatch) => boolean,
): Promise<SubscriptionBatch[]> {
  const { iterator, abort } = open(store, options)
  const batches: SubscriptionBatch[] = []
  for (;;) {
    const { done, value } = await iterator.next()
    if (done) throw new Error('the subscription ended by itself')
    batches.push(value)
    if (isLast(value)) break
  }
  abort()
  expect(await iterator.next()).toMatchObject({ done: true })
  return batches
}

async function eventsUntil(
  store: EventStore,
  options: Options,
  count: number,
): Promise<RecordedEvent[]> {
  let seen = 0
  const batches = await batchesUntil(store, options, ({ events }) => {
    seen += events.length
    return seen >= count
  })
  return batches.flatMap(({ events }) => events)
}

/** The events of the next batch that has any. */
async function nextEvents(
  iterator: AsyncIterator<SubscriptionBatch>,
): Promise<readonly RecordedEvent[]> {
  for (;;) {
    const { done, value } = await iterator.next()
    if (done) throw new Error('the subscription ended by itself')
    if (value.events.length > 0) return value.events
  }
}
