/** What subscriptions give, and how they end. */
import { describe, expect, test } from 'vitest'
import { until } from '../until.ts'
import {
  END,
  eventTypeFilter,
  excludeSystemEvents,
  failureOf,
  NO_STREAM,
  newEvent,
  newEvents,
  type Position,
  START,
  streamNameFilter,
  TimeoutError,
  UnavailableError,
  withDouble,
} from './raw-client.ts'
import { Subscriber } from './raw-subscriber.ts'

const ours = (options: object = {}) => streamNameFilter({ prefixes: ['s-'], ...options })

describe('to $all', () => {
  test('from the start: confirmed, what there is, caught up, and what comes', () =>
    withDouble({}, async ({ client }) => {
      const events = newEvents(2_000, 'x'.repeat(300))
      await client.appendToStream('s-1', events.slice(0, 1_500))
      const subscriber = new Subscriber(client, { fromPosition: START, filter: ours() })
      await until(() => subscriber.caughtUpCount === 1)
      expect(subscriber.isConfirmed).toBe(true)
      expect(subscriber.ids).toHaveLength(1_500)
      for (const event of events.slice(1_500)) await client.appendToStream('s-2', event)
      await until(() => subscriber.ids.length === events.length)
      expect(subscriber.ids).toEqual(events.map(({ id }) => id))
      await subscriber.stop()
    }))

  test('from a position: what stands after it, also in the middle of an append', () =>
    withDouble({}, async ({ client }) => {
      const events = newEvents(4)
      await client.appendToStream('s-1', events)
      const first = new Subscriber(client, { filter: ours() })
      await until(() => first.ids.length === 4)
      await first.stop()
      const [, middle] = first.positions
      if (middle === undefined) throw new Error('the second event has a position')
      const second = new Subscriber(client, { fromPosition: middle })
      await until(() => second.caughtUpCount === 1)
      expect(second.ids).toEqual(events.slice(2).map(({ id }) => id))
      await second.stop()
    }))

  test('the position that an append answers is where to go on', () =>
    withDouble({}, async ({ client }) => {
      const { position } = await client.appendToStream('s-1', newEvents(2))
      if (position === undefined) throw new Error('an append has a position')
      const subscriber = new Subscriber(client, { fromPosition: position })
      await until(() => subscriber.caughtUpCount === 1)
      const next = newEvent()
      await client.appendToStream('s-1', next)
      await until(() => subscriber.ids.length > 0)
      expect(subscriber.ids).toEqual([next.id])
      await subscriber.stop()
    }))

  test('from the end: only what comes', () =>
    withDouble({}, async ({ client }) => {
      await client.appendToStream('s-1', newEvent())
      const subscriber = new Subscriber(client, { fromPosition: END })
      await until(() => subscriber.caughtUpCount === 1)
      const next = newEvent()
      await client.appendToStream('s-1', next)
      await until(() => subscriber.ids.length > 0)
      expect(subscriber.ids).toEqual([next.id])
      await subscriber.stop()
    }))

  test('from a position beyond the end: no error, and silence, also when events come', () =>
    withDouble({}, async ({ client }) => {
      const far = { commit: 1_000_000_000n, prepare: 1_000_000_000n }
      const beyond = new Subscriber(client, { fromPosition: far })
      const witness = new Subscriber(client, { fromPosition: END })
      await until(() => beyond.caughtUpCount === 1 && witness.caughtUpCount === 1)
      await client.appendToStream('s-1', newEvents(3))
      await until(() => witness.ids.length === 3)
      expect(beyond).toMatchObject({ isConfirmed: true, ids: [], error: undefined })
      await beyond.stop()
      await witness.stop()
    }))

  test('without a filter the events of the system come too', () =>
    withDouble({}, async ({ client, double }) => {
      double.setStreamMetadata('s-1', { $maxCount: 3 })
      const subscriber = new Subscriber(client, {})
      await until(() => subscriber.caughtUpCount === 1)
      expect(subscriber.streams).toContain('$$s-1')
      await subscriber.stop()
    }))

  test.each([
    ['prefixes of streams', ours(), ['s-1', 's-2']],
    ['an expression for streams', streamNameFilter({ regex: '^.-2$' }), ['s-2', 't-2']],
    ['prefixes of types', eventTypeFilter({ prefixes: ['Happ'] }), ['s-1', 's-2', 't-2']],
    ['what is not of the system', excludeSystemEvents(), ['s-1', 's-2', 't-2']],
  ])('the server filters by %s', (_by, filter, streams) =>
    withDouble({}, async ({ client }) => {
      for (const stream of ['s-1', 's-2', 't-2']) await client.appendToStream(stream, newEvent())
      const subscriber = new Subscriber(client, { filter })
      await until(() => subscriber.caughtUpCount === 1)
      expect(subscriber.streams).toEqual(streams)
      await subscriber.stop()
    }),
  )

  test('a filter brings checkpoints, one after each window of events looked at', () =>
    withDouble({}, async ({ client }) => {
      await client.appendToStream('t-1', newEvents(1_000))
      const checkpoints: Position[] = []
      const checkpointReached = async (_: unknown, position: Position) => {
        checkpoints.push(position)
      }
      const filter = ours({ checkpointInterval: 10, checkpointReached })
      const subscriber = new Subscriber(client, { filter })
      await until(() => subscriber.caughtUpCount === 1)
      expect(checkpoints).toHaveLength(3)
      expect(subscriber.ids).toEqual([])
      await subscriber.stop()
    }))

  test('versions before 23.10 do not say that they caught up', () =>
    withDouble({ version: '22.10.5' }, async ({ client }) => {
      const subscriber = new Subscriber(client, { filter: ours() })
      await until(() => subscriber.isConfirmed)
      await client.appendToStream('s-1', newEvent())
      await until(() => subscriber.ids.length === 1)
      expect(subscriber.caughtUpCount).toBe(0)
      await subscriber.stop()
    }))
})

describe('to a stream', () => {
  test('from a revision, exclusive; a missing stream is waited for', () =>
    withDouble({}, async ({ client }) => {
      const revisions: bigint[] = []
      const subscription = client.subscribeToStream('s-1', { fromRevision: 1n })
      let isCaughtUp = false
      subscription.on('caughtUp', () => {
        isCaughtUp = true
      })
      subscription.on('data', ({ event }) => revisions.push(event?.revision ?? -1n))
      await until(() => isCaughtUp)
      await client.appendToStream('s-1', newEvents(4), { expectedRevision: NO_STREAM })
      await until(() => revisions.length === 2)
      expect(revisions).toEqual([2n, 3n])
      await subscription.unsubscribe()
    }))
})

describe('the end', () => {
  test.each([
    ['a kill', 'kill', { type: 'unavailable', code: 14 }],
    ['a stop', 'stop', { type: 'unknown', code: 13 }],
  ] as const)('of the server by %s fails the subscription', (_by, ends, failure) =>
    withDouble({}, async ({ client, double }) => {
      const subscriber = new Subscriber(client, {})
      await until(() => subscriber.caughtUpCount === 1)
      await double[ends]()
      await until(() => subscriber.error !== undefined)
      expect(subscriber.error).toMatchObject(failure)
      await double.restart()
      expect(double.observed.openSubscriptions).toBe(0)
    }),
  )

  test('a drop fails all subscriptions and nothing else', () =>
    withDouble({}, async ({ client, double }) => {
      const subscriber = new Subscriber(client, {})
      await until(() => subscriber.caughtUpCount === 1)
      double.faults.dropSubscriptions()
      await until(() => subscriber.error !== undefined)
      expect(subscriber.error).toBeInstanceOf(TimeoutError)
      await client.appendToStream('s-1', newEvent())
    }))

  test('unsubscribing ends the reading without an error and closes the call', () =>
    withDouble({}, async ({ client, double }) => {
      const subscriber = new Subscriber(client, {})
      await until(() => double.observed.openSubscriptions === 1)
      await subscriber.stop()
      expect(subscriber.error).toBeUndefined()
      await until(() => double.observed.openSubscriptions === 0)
    }))

  test('a silenced subscription stays open and goes on later, while other calls are answered', () =>
    withDouble({}, async ({ client, double }) => {
      const subscriber = new Subscriber(client, { filter: ours() })
      await until(() => subscriber.caughtUpCount === 1)
      double.faults.silenceSubscriptions()
      await client.appendToStream('s-1', newEvents(300))
      expect(subscriber.ids).toEqual([])
      expect(double.observed.openSubscriptions).toBe(1)
      double.faults.unsilenceSubscriptions()
      await until(() => subscriber.ids.length === 300)
      await subscriber.stop()
    }))
})

test('a subscription while the server is down is unavailable', () =>
  withDouble({}, async ({ client, double }) => {
    await double.kill()
    const subscription = client.subscribeToAll({})
    const error = await failureOf(
      (async () => {
        for await (const _event of subscription);
      })(),
    )
    expect(error).toBeInstanceOf(UnavailableError)
  }))
