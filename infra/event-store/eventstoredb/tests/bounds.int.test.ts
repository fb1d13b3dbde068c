/** What is bounded: appends in flight, what waits, open calls, time. */
import { NO_STREAM, START, StoreUnavailableError } from '@svc/contracts/ports/event-store'
import { until } from '@svc/testing/until'
import { describe, expect, test } from 'vitest'
import { fillStream, newEvents, readWholeLog, readWholeStream } from '../../compliance/fixtures.ts'
import { APPENDS_AT_WORK_MAX } from '../appends/keyed-queue.ts'
import { openEventStoreDb } from '../open-eventstoredb.ts'
import { appendElsewhere, PREFIX, withStore } from '../testing/store-on-double.ts'

const stream = 'account-1'
/** How long a frozen server is waited for: an answer takes far less, also on a busy machine. */
const FROZEN_MS = 2_000
/** For what waits for its turn, on a busy machine for longer than the store lets it. */
const UNHURRIED = { appendTimeoutMs: 60_000, readTimeoutMs: 60_000 }

describe('appends in flight', () => {
  test('are no more than the bound; the others wait, and none is lost', async () => {
    await withStore(UNHURRIED, async ({ double, store }) => {
      double.faults.holdAppends()
      const appends = Array.from({ length: 200 }, (_, at) =>
        store.append({ stream: `account-${at}`, expected: NO_STREAM, events: newEvents(1) }),
      )
      await until(() => double.observed.appendsReceived === APPENDS_AT_WORK_MAX)
      // By the time that another call is answered, the appends had all the time to come in.
      expect(await readWholeLog(store)).toEqual([])
      expect(double.observed.appendsReceived).toBe(APPENDS_AT_WORK_MAX)
      double.faults.releaseAppends()
      const outcomes = await Promise.all(appends)
      expect(outcomes.filter(({ kind }) => kind === 'appended')).toHaveLength(200)
    })
  })

  test('that got no answer in time keep their places, until the client lets go of them', async () => {
    await withStore({ appendTimeoutMs: 200 }, async ({ double, store }) => {
      double.faults.disturbNextAppends({ commits: false, says: 'silence' }, 1_000)
      const send = (at: number) =>
        store.append({ stream: `account-${at}`, expected: NO_STREAM, events: newEvents(1) })
      const first = await Promise.all(
        Array.from({ length: APPENDS_AT_WORK_MAX }, (_, at) => send(at)),
      )
      expect(first.every(({ kind }) => kind === 'unknown')).toBe(true)
      await expect(send(999)).rejects.toThrow(StoreUnavailableError)
      expect(double.observed.appendsReceived).toBe(APPENDS_AT_WORK_MAX)
    })
  })
})

describe('a client that hangs', () => {
  test('is replaced after three rounds without an answer, and goes on', async () => {
    await withStore({ appendTimeoutMs: 200 }, async ({ double, store, warnings }) => {
      const head = await fillStream(store, stream, 1)
      const request = { stream, expected: head, events: newEvents(1) }
      double.faults.disturbNextAppends({ commits: false, says: 'silence' }, 3)
      for (let round = 0; round < 3; round += 1) {
        expect((await store.append(request)).kind).toBe('unknown')
      }
      // A new client may find that its first answers take longer than the bound of this test, too.
      await expect
        .poll(async () => (await store.append(request)).kind)
        .toMatch(/appended|duplicate/)
      expect(warnings).toEqual(['reconnecting to the event store'])
      expect(await readWholeStream(store, stream)).toHaveLength(2)
    })
  })
})

describe('open calls', () => {
  test('none is left by reads, also of missing streams, nor after the store is closed', async () => {
    await withStore({}, async ({ double, store }) => {
      await fillStream(store, stream, 300)
      for (let at = 0; at < 20; at += 1) {
        await store.readAll({ after: START, limit: 10 })
        await store.readStream({ stream, direction: 'backwards', limit: 5 })
        await store.readStream({ stream: 'missing', direction: 'forwards', limit: 5 })
      }
      await until(() => double.observed.openReads === 0)
      const abort = new AbortController()
      const request = { after: START, batchSize: 10, signal: abort.signal }
      for await (const { caughtUp } of store.subscribe(request)) if (caughtUp) break
      await until(() => double.observed.openSubscriptions === 1)
      await store.close()
      await until(() => double.observed.openCalls.length === 0)
      await until(() => double.observed.connections === 0)
    })
  })

  test('two hundred reads at once are all answered', async () => {
    await withStore(UNHURRIED, async ({ store }) => {
      await fillStream(store, stream, 50)
      const reads = Array.from({ length: 200 }, () => readWholeStream(store, stream))
      for (const events of await Promise.all(reads)) expect(events).toHaveLength(50)
    })
  })

  test('a read of a frozen server is given up and cancelled', async () => {
    await withStore({ readTimeoutMs: FROZEN_MS }, async ({ double, store }) => {
      await fillStream(store, stream, 5)
      double.freeze()
      await expect(readWholeStream(store, stream)).rejects.toThrow(StoreUnavailableError)
      double.thaw()
      expect(await readWholeStream(store, stream)).toHaveLength(5)
      await until(() => double.observed.openReads === 0)
    })
  })
})

describe('events of others', () => {
  test('are not seen, wherever they stand, and not read again and again', async () => {
    await withStore({}, async ({ double, store }) => {
      await appendElsewhere(double, stream, newEvents(90), 'other.')
      expect(await store.lastPosition()).toBe(START)
      expect(await store.readAll({ after: START, limit: 10 })).toEqual([])
      const head = await fillStream(store, stream, 3)
      await appendElsewhere(double, stream, newEvents(90), 'other.')
      double.setStreamMetadata(`${PREFIX}${stream}`, { $cacheControl: 5 })
      await fillStream(store, stream, 3, { from: head })
      const log = await readWholeLog(store)
      expect(log.map(({ revision }) => revision)).toEqual([0, 1, 2, 3, 4, 5])
      expect(log.every((event) => event.stream === stream)).toBe(true)
      expect(await store.lastPosition()).toBe(log.at(-1)?.position)
      expect(await store.readAll({ after: log[2]?.position ?? START, limit: 2 })).toEqual(
        log.slice(3, 5),
      )
    })
  })

  test('are passed over by the server, and not carried over', async () => {
    await withStore({}, async ({ double, store }) => {
      double.writeForeignEvents('other.stream', 6_000)
      const head = await fillStream(store, stream, 3)
      double.writeForeignEvents('other.stream', 6_000)
      await fillStream(store, stream, 3, { from: head })
      double.writeForeignEvents('other.stream', 6_000)
      const { url, observed } = double
      const opened = await openEventStoreDb({ url, streamPrefix: PREFIX })
      const log = await readWholeLog(opened)
      expect(log).toEqual(await readWholeLog(store))
      expect(await opened.lastPosition()).toBe(log.at(-1)?.position)
      await opened.close()
      expect(double.observed.eventsRead - observed.eventsRead).toBeLessThan(6_000)
    })
  })

  test.each([
    ['own', '23.10.8', 17_000],
    ['own', '24.2.0', 17_000],
    // Neither of these says how far it has looked.
    ['own', '22.10.5', 0],
    ['library', '23.10.8', 0],
  ])('are told to who wants to know how many: encoding=%s, server %s', async (...row) => {
    const [encoding, version, least] = row
    await withStore({ url: `&encoding=${encoding}`, double: { version } }, async (parts) => {
      const { double, store } = parts
      double.writeForeignEvents('other.stream', 6_000)
      const head = await fillStream(store, stream, 3)
      double.writeForeignEvents('other.stream', 12_000)
      await fillStream(store, stream, 3, { from: head })
      const opened = await openEventStoreDb({ url: double.url, streamPrefix: PREFIX })
      const read = double.observed.eventsRead
      let passedOver = 0
      const onPassedOver = (events: number): void => {
        passedOver += events
      }
      const log = await opened.readAll({ after: START, limit: 100, onPassedOver })
      expect(log).toEqual(await readWholeLog(store))
      expect(passedOver).toBeGreaterThanOrEqual(least)
      expect(passedOver).toBeLessThanOrEqual(18_100)
      expect(double.observed.eventsRead - read).toBeLessThan(6_000)
      await opened.close()
      await store.close()
      await until(() => double.observed.openCalls.length === 0)
    })
  })

  test('and orders about our streams among them are seen', async () => {
    await withStore({}, async ({ double, store }) => {
      await fillStream(store, stream, 3)
      await readWholeLog(store)
      double.writeForeignEvents('other.stream', 6_000)
      double.setStreamMetadata(`${PREFIX}${stream}`, { $maxCount: 1 })
      double.writeForeignEvents('other.stream', 6_000)
      await readWholeLog(store)
      expect(store.setAside()).toMatchObject([{ order: 'its metadata has $maxCount' }])
    })
  })
})
