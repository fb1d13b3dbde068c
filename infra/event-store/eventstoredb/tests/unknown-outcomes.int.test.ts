/** Appends whose outcome is open: what is said of them, and that sending them again settles it. */
import {
  type AppendOutcome,
  type AppendRequest,
  type EventStore,
  NO_STREAM,
  START,
  StoreRewoundError,
  type StreamHead,
} from '@svc/contracts/ports/event-store'
import { type AppendFault, EventStoreDbDouble } from '@svc/testing/eventstoredb-double'
import { until } from '@svc/testing/until'
import { describe, expect, test } from 'vitest'
import {
  fillStream,
  idsOf,
  newEvent,
  newEvents,
  readWholeLog,
  readWholeStream,
} from '../../compliance/fixtures.ts'
import { ServerTimeoutError } from '../client/server-failure.ts'
import { openEventStoreDb } from '../open-eventstoredb.ts'
import { appendElsewhere, withStore } from '../testing/store-on-double.ts'

const stream = 'account-1'
const APPEND_TIMEOUT_MS = 300

/** Sends until the outcome is known. */
async function settle(store: EventStore, request: AppendRequest): Promise<AppendOutcome> {
  for (let sends = 0; sends < 100; sends += 1) {
    const outcome = await store
      .append(request)
      .catch((cause: unknown) => ({ kind: 'unknown', cause }) as const)
    if (outcome.kind !== 'unknown') return outcome
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('it was not settled')
}

describe('an append without a clear answer', () => {
  const faults: AppendFault[] = [
    { commits: true, says: 'silence' },
    { commits: false, says: 'silence' },
    { commits: true, says: 'reset' },
    { commits: false, says: 'reset' },
    { commits: true, says: 'timeout' },
    { commits: false, says: 'timeout' },
    { commits: true, says: 'not ready' },
    { commits: false, says: 'not ready' },
  ]

  test.each(faults)('is unknown, and settled by sending it again: %o', async (fault) => {
    await withStore({ appendTimeoutMs: APPEND_TIMEOUT_MS }, async ({ double, store }) => {
      const head = await fillStream(store, stream, 2)
      const request = { stream, expected: head, events: newEvents(3) }
      double.faults.disturbNextAppends(fault)
      expect((await store.append(request)).kind).toBe('unknown')
      const outcome = await settle(store, request)
      const stored = await readWholeStream(store, stream)
      expect(idsOf(stored.slice(2))).toEqual(idsOf(request.events))
      expect(outcome).toMatchObject({
        head: { hash: stored.at(-1)?.hash, revision: 4 },
        position: stored.at(-1)?.position,
      })
    })
  })

  test('can be committed after a read has not found it, and is not written twice', async () => {
    await withStore({ appendTimeoutMs: APPEND_TIMEOUT_MS }, async ({ double, store }) => {
      const request = { stream, expected: NO_STREAM, events: newEvents(2) }
      double.faults.holdAppends()
      expect((await store.append(request)).kind).toBe('unknown')
      expect(await readWholeStream(store, stream)).toEqual([])
      double.faults.releaseAppends()
      await until(async () => (await readWholeStream(store, stream)).length > 0)
      expect(await settle(store, request)).toMatchObject({ head: { revision: 1 } })
      expect(idsOf(await readWholeLog(store))).toEqual(idsOf(request.events))
    })
  })

  test('is settled after the server stood still, while the client is replaced', async () => {
    const options = { appendTimeoutMs: 100, readTimeoutMs: 100 }
    await withStore(options, async ({ double, store, warnings }) => {
      const writers = Array.from({ length: 32 }, (_, at) => new Writer(store, `account-${at}`))
      for (const writer of writers) await writer.write()
      double.freeze()
      const writing = Promise.all(writers.map((writer) => writer.write()))
      await until(() => warnings.length > 0)
      double.thaw()
      await writing
      for (const writer of writers) await writer.check()
    })
  })

  test('is settled over a server that is killed again and again', async () => {
    await withStore({ appendTimeoutMs: APPEND_TIMEOUT_MS }, async ({ double, store }) => {
      double.faults.randomise(7)
      double.faults.indexLagMs = 40
      const kills = new AbortController()
      const writers = Array.from({ length: 8 }, (_, at) => new Writer(store, `account-${at}`))
      const writing = Promise.all(writers.map((writer) => writer.writeUntil(kills.signal)))
      for (let kill = 1; kill <= 5; kill += 1) {
        await until(() => writers.every(({ ids }) => ids.length >= 20 * kill))
        await double.kill()
        await double.restart()
      }
      kills.abort()
      await writing
      for (const writer of writers) await writer.check()
    })
  })
})

/** Appends to one stream, one after the other, each until it is known. */
class Writer {
  readonly stream: string
  readonly ids: string[] = []
  head: StreamHead = NO_STREAM
  readonly #store: EventStore

  constructor(store: EventStore, stream: string) {
    this.#store = store
    this.stream = stream
  }

  async writeUntil(over: AbortSignal): Promise<void> {
    while (!over.aborted) await this.write()
  }

  async write(): Promise<void> {
    const request = { stream: this.stream, expected: this.head, events: newEvents(2) }
    const outcome = await settle(this.#store, request)
    if (!('head' in outcome)) throw new Error(`${this.stream}: ${outcome.kind}`)
    this.head = outcome.head
    this.ids.push(...idsOf(request.events))
  }

  /** Checks that the log holds what the process was told. */
  async check(): Promise<void> {
    const stored = await readWholeStream(this.#store, this.stream)
    expect(idsOf(stored)).toEqual(this.ids)
    expect(stored.at(-1)?.hash).toBe(this.head.hash)
  }
}

describe('two processes', () => {
  test('that write the same ids with other bytes: the second is told what stands there', async () => {
    await withStore({}, async ({ double, store }) => {
      const head = await fillStream(store, stream, 1)
      const mine = newEvent('{"at":1}')
      const theirs = { ...mine, data: '{"at":2}' }
      expect(await appendElsewhere(double, stream, [theirs])).toBe('appended')
      const outcome = await store.append({ stream, expected: head, events: [mine] })
      const stored = await readWholeStream(store, stream)
      expect(stored[1]?.data).toBe(theirs.data)
      const { revision, hash, position } = stored[1] ?? {}
      expect(outcome).toEqual({ kind: 'duplicate', head: { revision, hash }, position })
    })
  })

  test('that race for one head: the second conflicts, though it knew that head', async () => {
    await withStore({}, async ({ double, store }) => {
      const head = await fillStream(store, stream, 1)
      expect(await appendElsewhere(double, stream, newEvents(2))).toBe('appended')
      const outcome = await store.append({ stream, expected: head, events: newEvents(1) })
      expect(outcome).toEqual({ kind: 'conflict' })
      expect(await readWholeStream(store, stream)).toHaveLength(3)
    })
  })
})

describe('a cluster', () => {
  const withoutAnAnswer = { kind: 'unknown', cause: expect.any(ServerTimeoutError) }

  test('whose leader hangs is followed to the next leader once the others have elected it', async () => {
    const hanging = await EventStoreDbDouble.start()
    const next = await EventStoreDbDouble.start()
    next.faults.notLeader = { host: '127.0.0.1', port: hanging.port }
    const store = await openEventStoreDb({
      url: `esdb://127.0.0.1:${hanging.port},127.0.0.1:${next.port}?tls=false`,
      appendTimeoutMs: 3_000,
    })
    const head = await fillStream(store, stream, 1)
    hanging.freeze()
    const request = { stream, expected: head, events: newEvents(1) }
    expect(await store.append(request)).toMatchObject(withoutAnAnswer)
    next.faults.notLeader = undefined
    let outcome: AppendOutcome
    do {
      outcome = await store.append(request).catch((cause) => ({ kind: 'unknown', cause }))
      expect(outcome).not.toMatchObject(withoutAnAnswer)
    } while (outcome.kind === 'unknown')
    // Its log is another one here: it does not hold the event that is to be built upon.
    expect(outcome).toEqual({ kind: 'conflict' })
    hanging.thaw()
    await store.close()
    await hanging.close()
    await next.close()
  })

  test('in which the search for a node was given up is found again', async () => {
    const double = await EventStoreDbDouble.start()
    const url = `esdb+discover://127.0.0.1:${double.port}?tls=false`
    const warnings: string[] = []
    const store = await openEventStoreDb({
      url: `${url}&maxDiscoverAttempts=2&discoveryInterval=10`,
      logger: { warn: (_, message) => void warnings.push(message) },
    })
    const head = await fillStream(store, stream, 3)
    await double.kill()
    const request = { stream, expected: head, events: newEvents(2) }
    const failures = new Set<string>()
    await until(async () => {
      const failure = await store.append(request).then(
        ({ kind }) => kind,
        (error: Error) => error.message,
      )
      failures.add(failure)
      return /Failed to discover/.test(failure) && failures.size > 1
    })
    for (let send = 0; send < 5; send += 1) await expect(store.append(request)).rejects.toThrow()
    await double.restart()
    expect(await settle(store, request)).toMatchObject({ kind: 'appended' })
    expect(idsOf(await readWholeStream(store, stream)).slice(3)).toEqual(idsOf(request.events))
    expect(warnings).toEqual(['reconnecting to the event store'])
    await store.close()
    await double.close()
  })
})

describe('a server that came back without its last events', () => {
  test('is not built upon as if it had them', async () => {
    await withStore({ watchTimes: { rewoundAfterMs: 100 } }, async ({ double, store }) => {
      const head = await fillStream(store, stream, 1)
      const { signal } = new AbortController()
      const batches = store.subscribe({ after: START, batchSize: 10, signal })
      const iterator = batches[Symbol.asyncIterator]()
      await iterator.next()
      await until(() => double.observed.openSubscriptions === 1)
      await double.kill()
      // The new server at the same address has another event in the same place.
      const other = await EventStoreDbDouble.start({ port: double.port })
      expect(await appendElsewhere(other, stream, newEvents(1))).toBe('appended')
      const { eventsCommitted } = other.observed
      const append = () => store.append({ stream, expected: head, events: newEvents(1) })
      await until(async () => (await failureOf(append())) instanceof StoreRewoundError)
      expect(other.observed.eventsCommitted).toBe(eventsCommitted)
      await store.close()
      await other.close()
    })
  })
})

function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  )
}
