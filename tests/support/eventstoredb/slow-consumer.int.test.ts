/** What becomes of a subscriber that is slower than the writers. */
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import { END, newEvents, START, streamNameFilter, TimeoutError, withDouble } from './raw-client.ts'
import { Subscriber } from './raw-subscriber.ts'

const ours = () => streamNameFilter({ prefixes: ['s-'] })

const burst = (count: number) => newEvents(count, 'x'.repeat(600))

test('a slow consumer sets the pace while it catches up', () =>
  withDouble({}, async ({ client }) => {
    await client.appendToStream('s-1', burst(1_000))
    const subscriber = new Subscriber(client, { filter: ours() }, 1)
    await until(() => subscriber.ids.length === 1_000)
    expect(subscriber.error).toBeUndefined()
    await subscriber.stop()
  }))

test('a slow consumer takes a live burst of 200, and is dropped by one of 400', () =>
  withDouble({}, async ({ client }) => {
    const subscriber = new Subscriber(client, { fromPosition: END }, 5)
    await until(() => subscriber.caughtUpCount === 1)
    await client.appendToStream('s-1', burst(200))
    await until(() => subscriber.ids.length === 200)
    const second = burst(400)
    await client.appendToStream('s-1', second, { expectedRevision: 199n })
    await until(() => subscriber.error !== undefined)
    expect(subscriber.error).toBeInstanceOf(TimeoutError)
    expect(subscriber.error).toMatchObject({
      type: 'timeout',
      code: 10,
      message: expect.stringContaining('Consumer too slow to handle event while live.'),
    })
    const seen = subscriber.ids.length
    expect(seen).toBeLessThan(600)
    const resumed = new Subscriber(client, { fromPosition: subscriber.positions.at(-1) ?? START })
    await until(() => resumed.ids.length === 600 - seen)
    expect(resumed.ids).toEqual(second.slice(seen - 200).map(({ id }) => id))
    await resumed.stop()
  }))

test('a slow consumer is never dropped from 24.2 on', () =>
  withDouble({ version: '24.2.0' }, async ({ client }) => {
    const subscriber = new Subscriber(client, { fromPosition: END }, 1)
    await until(() => subscriber.caughtUpCount === 1)
    await client.appendToStream('s-1', burst(1_000))
    await until(() => subscriber.ids.length === 1_000)
    expect(subscriber.error).toBeUndefined()
    await subscriber.stop()
  }))

test('a consumer that keeps up is not dropped by many appends', () =>
  withDouble({}, async ({ client }) => {
    const subscriber = new Subscriber(client, { fromPosition: END })
    await until(() => subscriber.caughtUpCount === 1)
    for (let count = 0; count < 50; count += 1) await client.appendToStream('s-1', burst(50))
    await until(() => subscriber.ids.length === 2_500 || subscriber.error !== undefined)
    expect(subscriber.error).toBeUndefined()
    await subscriber.stop()
  }))
