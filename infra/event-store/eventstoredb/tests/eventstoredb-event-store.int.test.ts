/** What is particular to this adapter: refusals, crash points, history that others touched. */
import {
  BrokenChainError,
  DamagedStreamError,
  NO_STREAM,
  START,
  StoreUnavailableError,
} from '@svc/contracts/ports/event-store'
import { EventStoreDbDouble } from '@svc/testing/eventstoredb-double'
import { until } from '@svc/testing/until'
import { describe, expect, test } from 'vitest'
import {
  fillStream,
  idsOf,
  mustAppend,
  newEvent,
  newEvents,
  readWholeLog,
  readWholeStream,
} from '../../compliance/fixtures.ts'
import { EventStoreDbClient } from '../client/client.ts'
import { parseConnectionString } from '../client/connection-string.ts'
import { NO_EVENTS } from '../messages/server-event.ts'
import { openEventStoreDb } from '../open-eventstoredb.ts'
import { PREFIX, withStore } from '../testing/store-on-double.ts'

const stream = 'account-1'

describe('an append that the server surely did not write', () => {
  test('rejects while no server is there', async () => {
    await withStore({}, async ({ double, store }) => {
      const head = await fillStream(store, stream, 1)
      await double.kill()
      const append = () => store.append({ stream, expected: head, events: newEvents(1) })
      await until(() =>
        append().then(
          () => false,
          (error) => error instanceof StoreUnavailableError,
        ),
      )
      await expect(append()).rejects.toThrow(StoreUnavailableError)
      await double.restart()
      expect((await append()).kind).toBe('appended')
    })
  })

  test('is told with what the server must be set to, when it takes smaller ones only', async () => {
    await withStore({ double: { maxAppendBytes: 1_000 } }, async ({ store }) => {
      const head = await fillStream(store, stream, 1)
      const events = [newEvent(JSON.stringify('x'.repeat(2_000)))]
      const refused = store.append({ stream, expected: head, events })
      await expect(refused).rejects.toThrow(StoreUnavailableError)
      await expect(refused).rejects.toThrow('set its --max-append-size to 1048576')
      expect(await readWholeStream(store, stream)).toHaveLength(1)
      await mustAppend(store, stream, head, newEvents(1))
    })
  })
})

describe('a server with another clock', () => {
  test.each([
    ['own', -300_000],
    ['own', 12_000],
    ['own', 300_000],
    // The library tells the server until when it waits, by our clock.
    ['library', -300_000],
    ['library', 12_000],
    ['library', 300_000],
  ])('takes appends: encoding=%s, %i ms ahead', async (encoding, aheadMs) => {
    await withStore({ url: `&encoding=${encoding}` }, async ({ double, store }) => {
      double.faults.clockAheadMs = aheadMs
      await mustAppend(store, stream, NO_STREAM, newEvents(1))
      expect(double.observed.appendsReceived).toBe(1)
    })
  })
})

describe('the crash points', () => {
  test('lie before the append is sent, and after it is acknowledged', async () => {
    const reached: string[] = []
    let double: EventStoreDbDouble | undefined
    const options = {
      reachCrashPoint: (point: string) => {
        reached.push(`${point} ${double?.observed.appendsReceived}`)
      },
    }
    await withStore(options, async (parts) => {
      double = parts.double
      await mustAppend(parts.store, stream, NO_STREAM, newEvents(2))
    })
    expect(reached).toEqual(['store.before-commit 0', 'store.after-commit 1'])
  })
})

describe('a node that does not lead', () => {
  test('sends the store to the leader, at the start and later', async () => {
    const leader = await EventStoreDbDouble.start()
    const follower = await EventStoreDbDouble.start()
    const address = { host: '127.0.0.1', port: leader.port }
    follower.faults.notLeader = address
    const store = await openEventStoreDb({ url: follower.url, streamPrefix: PREFIX })
    const head = await fillStream(store, stream, 3)
    expect(follower.observed.appendsReceived).toBe(0)
    expect(leader.observed.appendsReceived).toBe(1)

    // They change places. Their logs are apart, so that the expected event is not there.
    follower.faults.notLeader = undefined
    leader.faults.notLeader = { host: '127.0.0.1', port: follower.port }
    const request = { stream, expected: head, events: newEvents(1) }
    expect((await store.append(request)).kind).toBe('unknown')
    expect(await store.append(request)).toEqual({ kind: 'conflict' })
    await mustAppend(store, stream, NO_STREAM, newEvents(1))
    expect(follower.observed.appendsReceived).toBe(1)
    await store.close()
    await leader.close()
    await follower.close()
  })
})

describe('history that others touched', () => {
  test('an event that is none of ours breaks the chain, and hides nothing behind it', async () => {
    const double = await EventStoreDbDouble.start()
    const client = new EventStoreDbClient(parseConnectionString(double.url), 5_000)
    const foreign = {
      id: crypto.randomUUID(),
      type: 'Foreign',
      data: { kind: 'json', text: '{"a":1}' } as const,
      metadata: new Uint8Array(),
    }
    await client.append(`${PREFIX}${stream}`, NO_EVENTS, [foreign])
    await client.retire()
    const store = await openEventStoreDb({ url: double.url, streamPrefix: PREFIX })
    await fillStream(store, 'account-2', 2)
    await expect(readWholeStream(store, stream)).rejects.toThrow(new BrokenChainError(stream, 0))
    const log = await readWholeLog(store)
    expect(log.map(({ type }) => type)).toEqual(['Foreign', 'Noted', 'Noted'])
    expect(log[0]).toMatchObject({ id: foreign.id, data: '{"a":1}', metadata: 'null' })
    await store.close()
    await double.close()
  })

  const orders: readonly (readonly [string, string, (double: EventStoreDbDouble) => void])[] = [
    ...[{ $maxAge: 60 }, { $maxCount: 2 }, { $tb: 2 }, { $acl: { $r: ['nobody'] } }].map(
      (metadata) =>
        [
          JSON.stringify(metadata),
          `its metadata has ${Object.keys(metadata)[0]}`,
          (double: EventStoreDbDouble) => double.setStreamMetadata(`${PREFIX}${stream}`, metadata),
        ] as const,
    ),
    ['a deletion', 'it was deleted', (double) => double.deleteStream(`${PREFIX}${stream}`)],
    [
      'a deletion for ever',
      'it was deleted for ever',
      (double) => double.deleteStream(`${PREFIX}${stream}`, true),
    ],
  ]
  test.each(orders)(
    'a stream that was given %s while we ran is refused, and no other',
    async (_what, reason, order) => {
      await withStore({}, async ({ double, store, warnings }) => {
        const head = await fillStream(store, stream, 5)
        const other = await fillStream(store, 'account-2', 1)
        order(double)
        // A reader that follows the log comes by.
        await store.lastPosition()
        const damage = new DamagedStreamError(stream, reason)
        const append = store.append({ stream, expected: head, events: newEvents(1) })
        await expect(append).rejects.toThrow(damage)
        await expect(readWholeStream(store, stream)).rejects.toThrow(damage)
        await mustAppend(store, 'account-2', other, newEvents(1))
        expect(store.setAside()).toEqual([{ stream: PREFIX + stream, order: reason }])
        expect(warnings).toEqual(['stream set aside, its account is refused'])
        const log = await readWholeLog(store)
        expect(log.every(({ revision }) => Number.isSafeInteger(revision))).toBe(true)
      })
    },
  )

  test('an append behind a deletion makes the server give an order, which is told no second time', async () => {
    await withStore({}, async ({ double, store, warnings }) => {
      const head = await fillStream(store, stream, 3)
      double.deleteStream(`${PREFIX}${stream}`)
      await mustAppend(store, stream, head, newEvents(1))
      await store.lastPosition()
      expect(store.setAside()).toEqual([{ stream: PREFIX + stream, order: 'its metadata has $tb' }])
      expect(warnings).toEqual(['stream set aside, its account is refused'])
      double.deleteStream(`${PREFIX}${stream}`, true)
      await store.lastPosition()
      expect(store.setAside()).toEqual([
        { stream: PREFIX + stream, order: 'it was deleted for ever' },
      ])
      // Nothing brings it back now: that is news.
      expect(warnings).toHaveLength(2)
    })
  })

  test('a stream whose order was taken back is used again', async () => {
    await withStore({}, async ({ double, store }) => {
      const head = await fillStream(store, stream, 5)
      for (const metadata of [{ $maxCount: 1 }, {}]) {
        double.setStreamMetadata(`${PREFIX}${stream}`, metadata)
        await store.lastPosition()
      }
      await mustAppend(store, stream, head, newEvents(1))
      expect(store.setAside()).toEqual([])
      // An order from before is in the log still, and is old.
      await readWholeLog(store)
      expect(await readWholeStream(store, stream)).toHaveLength(6)
    })
  })

  test('a stream that was deleted for ever before it was seen is refused by what the server says', async () => {
    await withStore({}, async ({ double, store }) => {
      const head = await fillStream(store, stream, 2)
      double.deleteStream(`${PREFIX}${stream}`, true)
      const append = store.append({ stream, expected: head, events: newEvents(1) })
      await expect(append).rejects.toThrow(DamagedStreamError)
      await expect(readWholeStream(store, stream)).rejects.toThrow(DamagedStreamError)
    })
  })

  test('a stream that was shortened while we ran is seen at the next read', async () => {
    await withStore({}, async ({ double, store }) => {
      await fillStream(store, stream, 5)
      double.setStreamMetadata(`${PREFIX}${stream}`, { $tb: 2 })
      await expect(readWholeStream(store, stream)).rejects.toThrow(new BrokenChainError(stream, 0))
    })
  })

  test('reads may begin beyond the end of a stream, in both directions', async () => {
    await withStore({}, async ({ store }) => {
      await fillStream(store, stream, 5)
      const read = (direction: 'forwards' | 'backwards', from: number) =>
        store.readStream({ stream, direction, from, limit: 3 })
      expect(await read('forwards', 5)).toEqual([])
      expect(await read('forwards', 50)).toEqual([])
      for (const from of [5, 6, 50]) {
        const newest = await read('backwards', from)
        expect(newest.map(({ revision }) => revision)).toEqual([4, 3, 2])
      }
    })
  })
})

describe('two installations on one server', () => {
  test('have the same names of streams, and see nothing of each other', async () => {
    const double = await EventStoreDbDouble.start()
    const ids: string[][] = []
    for (const streamPrefix of ['one.', 'two.', 'one.']) {
      const store = await openEventStoreDb({ url: double.url, streamPrefix })
      const [last] = await store.readStream({ stream, direction: 'backwards', limit: 1 })
      const events = newEvents(2)
      await mustAppend(store, stream, last ?? NO_STREAM, events)
      ids.push(idsOf(events))
      const log = await readWholeLog(store, START)
      expect(idsOf(log)).toEqual(
        streamPrefix === 'one.' ? [ids[0], ids[2]].flat().filter(Boolean) : ids[1],
      )
      expect(await store.lastPosition()).toBe(log.at(-1)?.position)
      await store.close()
    }
    await double.close()
  })
})
