/** Subscriptions over everything that ends, drops or silences those of the server. */
import {
  type EventStore,
  type RecordedEvent,
  START,
  StoreUnavailableError,
  type SubscriptionBatch,
} from '@svc/contracts/ports/event-store'
import { until } from '@svc/testing/until'
import { describe, expect, test } from 'vitest'
import { fillStream, idsOf, newEvents, readWholeLog } from '../../compliance/fixtures.ts'
import { appendElsewhere, withStore } from '../testing/store-on-double.ts'

const stream = 'account-1'
/** How long a frozen server is waited for: an answer takes far less, also on a busy machine. */
const FROZEN_MS = 2_000

/** Follows the log from its start for as long as a test wants. */
class Follower {
  readonly seen: RecordedEvent[] = []
  readonly batches: SubscriptionBatch[] = []
  isOver = false
  readonly #abort = new AbortController()
  readonly #following: Promise<void>

  constructor(store: EventStore, batchSize = 100) {
    this.#following = this.#follow(store, batchSize)
  }

  async sees(count: number): Promise<void> {
    await until(() => this.seen.length >= count || this.isOver)
  }

  async stop(): Promise<readonly RecordedEvent[]> {
    this.#abort.abort()
    await this.#following
    return this.seen
  }

  async #follow(store: EventStore, batchSize: number): Promise<void> {
    const request = { after: START, batchSize, signal: this.#abort.signal }
    for await (const batch of store.subscribe(request)) {
      this.batches.push(batch)
      this.seen.push(...batch.events)
    }
    this.isOver = true
  }
}

describe('a subscription', () => {
  test('sees what other processes write', async () => {
    await withStore({}, async ({ double, store }) => {
      const follower = new Follower(store)
      await until(() => double.observed.openSubscriptions === 1)
      const events = newEvents(3)
      await appendElsewhere(double, stream, events)
      await follower.sees(3)
      expect(idsOf(await follower.stop())).toEqual(idsOf(events))
    })
  })

  test('goes on when the server drops it as too slow', async () => {
    await withStore({ double: { dropsSlowConsumers: 5 } }, async ({ double, store, warnings }) => {
      const follower = new Follower(store)
      await until(() => double.observed.openSubscriptions === 1)
      let head = await fillStream(store, stream, 10)
      double.faults.dropSubscriptions()
      await until(() => warnings.length > 0)
      head = await fillStream(store, stream, 500, { from: head })
      await until(() => double.observed.openSubscriptions === 1)
      await appendElsewhere(double, stream, newEvents(50))
      await follower.sees(560)
      expect(idsOf(await follower.stop())).toEqual(idsOf(await readWholeLog(store)))
    })
  })

  test('goes on over kills and stops of the server, and sees everything once, in order', async () => {
    await withStore({}, async ({ double, store }) => {
      const follower = new Follower(store, 7)
      let head = await fillStream(store, stream, 30, { batch: 10 })
      for (const end of ['kill', 'stop', 'kill'] as const) {
        await follower.sees(head.revision + 1)
        await double[end]()
        await double.restart()
        await until(async () => {
          const last = await store.lastPosition().catch(() => START)
          return last > START
        })
        head = await fillStream(store, stream, 40, { from: head, batch: 10 })
      }
      await follower.sees(150)
      expect(follower.isOver).toBe(false)
      expect(idsOf(await follower.stop())).toEqual(idsOf(await readWholeLog(store)))
    })
  })

  test('waits for a server that is away, as long as it takes, and can be aborted meanwhile', async () => {
    await withStore({}, async ({ double, store, warnings }) => {
      await fillStream(store, stream, 5)
      await double.kill()
      const follower = new Follower(store)
      const aborted = new Follower(store)
      await until(() => warnings.includes('failed to read the event log, retrying'))
      expect(await aborted.stop()).toEqual([])
      expect(follower.isOver).toBe(false)
      await double.restart()
      await follower.sees(5)
      expect(idsOf(await follower.stop())).toEqual(idsOf(await readWholeLog(store)))
    })
  })

  test('goes on after the server stood still', async () => {
    await withStore({ readTimeoutMs: FROZEN_MS }, async ({ double, store }) => {
      const head = await fillStream(store, stream, 5)
      const follower = new Follower(store)
      await follower.sees(5)
      double.freeze()
      await expect(readWholeLog(store)).rejects.toThrow(StoreUnavailableError)
      double.thaw()
      await fillStream(store, stream, 5, { from: head })
      await follower.sees(10)
      expect(idsOf(await follower.stop())).toEqual(idsOf(await readWholeLog(store)))
    })
  })

  test('notices what a silent server does not tell, and subscribes anew', async () => {
    await withStore({}, async ({ double, store }) => {
      const follower = new Follower(store)
      await until(() => double.observed.openSubscriptions === 1)
      double.faults.silenceSubscriptions()
      await appendElsewhere(double, stream, newEvents(3))
      await follower.sees(3)
      double.faults.unsilenceSubscriptions()
      await until(() => double.observed.openSubscriptions === 1)
      await appendElsewhere(double, stream, newEvents(3))
      await follower.sees(6)
      expect(idsOf(await follower.stop())).toEqual(idsOf(await readWholeLog(store)))
    })
  })

  test('ends when the store is closed while the server is away', async () => {
    await withStore({ readTimeoutMs: FROZEN_MS }, async ({ double, store }) => {
      const follower = new Follower(store)
      await double.kill()
      await store.close()
      await until(() => follower.isOver)
      await double.restart()
    })
  })
})

describe('a position of another log', () => {
  test('inside an event is refused, and not waited for', async () => {
    await withStore({}, async ({ store }) => {
      await fillStream(store, stream, 10)
      const [first] = await readWholeLog(store)
      const after = (first?.position ?? START) + 1n
      await expect(store.readAll({ after, limit: 10 })).rejects.toThrow(RangeError)
      const { signal } = new AbortController()
      const batches = store.subscribe({ after, batchSize: 10, signal })[Symbol.asyncIterator]()
      await expect(batches.next()).rejects.toThrow(RangeError)
    })
  })
})
