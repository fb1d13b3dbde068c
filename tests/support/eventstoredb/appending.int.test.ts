/** What an append answers, over either of the two calls for it. */
import { describe, expect, test } from 'vitest'
import {
  ANY,
  type AppendToStreamOptions,
  collect,
  DeadlineExceededError,
  failureOf,
  idsIn,
  jsonEvent,
  MaxAppendSizeExceededError,
  NO_STREAM,
  newEvent,
  newEvents,
  STREAM_EXISTS,
  UnknownError,
  WrongExpectedVersionError,
  withDouble,
} from './raw-client.ts'

/** Credentials of its own make an append go over the classic call; TLS apart, none are sent. */
const classic = { credentials: { username: 'admin', password: 'changeit' } }
const calls: readonly (readonly [string, AppendToStreamOptions])[] = [
  ['the batched call', {}],
  ['the classic call', classic],
]

describe.each(calls)('over %s', (_name, call) => {
  test('an append to a new stream answers revision 0 and its position', () =>
    withDouble({}, async ({ client }) => {
      const result = await client.appendToStream('a', newEvent(), {
        ...call,
        expectedRevision: NO_STREAM,
      })
      const [read] = await collect(client.readStream('a'))
      const { position } = read?.event ?? {}
      expect(result).toEqual({ success: true, nextExpectedRevision: 0n, position })
      expect(position?.commit).toBe(position?.prepare)
    }))

  test('three events after revision 0 answer the revision and position of the last', () =>
    withDouble({}, async ({ client }) => {
      await client.appendToStream('a', newEvent(), { ...call, expectedRevision: NO_STREAM })
      const result = await client.appendToStream('a', newEvents(3), {
        ...call,
        expectedRevision: 0n,
      })
      const last = (await collect(client.readStream('a'))).at(-1)
      expect(result.nextExpectedRevision).toBe(3n)
      expect(result.position).toEqual(last?.event?.position)
    }))

  test.each([
    ['stale', 'a', 0n, 2n],
    ['ahead', 'a', 7n, 2n],
    ['of a missing stream', 'missing', 0n, 'no_stream'],
    ['no_stream of one that is there', 'a', NO_STREAM, 2n],
    ['stream_exists of a missing one', 'missing', STREAM_EXISTS, 'no_stream'],
  ] as const)(
    'a revision that is %s is refused with what is so',
    (_what, stream, expectedRevision, actual) =>
      withDouble({}, async ({ client }) => {
        await client.appendToStream('a', newEvents(3), { ...call, expectedRevision: NO_STREAM })
        const error = await failureOf(
          client.appendToStream(stream, newEvent(), { ...call, expectedRevision }),
        )
        expect(error).toBeInstanceOf(WrongExpectedVersionError)
        expect(error).toMatchObject({
          type: 'wrong-expected-version',
          streamName: stream,
          expectedVersion: expectedRevision,
          actualVersion: actual,
          message: '',
        })
        expect(await idsIn(client, 'a')).toHaveLength(3)
      }),
  )

  test('an empty append succeeds without an event, also where there is no stream', () =>
    withDouble({}, async ({ client, double }) => {
      const before = double.observed.eventsCommitted
      const options = { ...call, expectedRevision: NO_STREAM } as const
      const result = await client.appendToStream('a', [], options)
      expect(result).toMatchObject({ success: true, nextExpectedRevision: 0n })
      expect(double.observed.eventsCommitted).toBe(before)
      expect(await client.appendToStream('a', newEvent(), options)).toMatchObject({
        nextExpectedRevision: 0n,
      })
    }))

  test('an empty append at a stale revision is refused as any other', () =>
    withDouble({}, async ({ client }) => {
      await client.appendToStream('a', newEvents(3), { ...call, expectedRevision: NO_STREAM })
      const append = client.appendToStream('a', [], { ...call, expectedRevision: 0n })
      expect(await failureOf(append)).toBeInstanceOf(WrongExpectedVersionError)
    }))

  test('data is limited to the byte, in sum, and nothing of what is over it is written', () =>
    withDouble({ maxAppendBytes: 1_000 }, async ({ client }) => {
      const options = { ...call, expectedRevision: NO_STREAM } as const
      const over = [newEvent('x'.repeat(600)), newEvent('x'.repeat(401))]
      const error = await failureOf(client.appendToStream('a', over, options))
      expect(error).toBeInstanceOf(MaxAppendSizeExceededError)
      expect(error).toMatchObject({ maxAppendSize: 1_000 })
      const full = [newEvent('x'.repeat(600)), newEvent('x'.repeat(400))]
      expect(await client.appendToStream('a', full, options)).toMatchObject({
        nextExpectedRevision: 1n,
      })
    }))

  test.each([
    ['an id that is no UUID', 'a', { id: 'no uuid' }],
    ['the nil UUID', 'a', { id: '00000000-0000-0000-0000-000000000000' }],
    ['an empty type', 'a', { type: '' }],
    ['an empty stream name', '', {}],
  ])('%s is refused without saying why', (_what, stream, wrong) =>
    withDouble({}, async ({ client, double }) => {
      const before = double.observed.eventsCommitted
      const error = await failureOf(
        client.appendToStream(stream, { ...newEvent(), ...wrong }, call),
      )
      expect(error).toBeInstanceOf(UnknownError)
      expect(error).toMatchObject({ message: expect.stringContaining('BadRequest') })
      expect(double.observed.eventsCommitted).toBe(before)
    }),
  )

  test('a tombstone ends a stream for ever', () =>
    withDouble({}, async ({ client }) => {
      await client.appendToStream('a', newEvent(), call)
      await client.tombstoneStream('a')
      const deleted = { type: 'stream-deleted', streamName: 'a' }
      const options = { ...call, expectedRevision: NO_STREAM } as const
      expect(await failureOf(client.appendToStream('a', newEvent(), options))).toMatchObject(
        deleted,
      )
      expect(await failureOf(collect(client.readStream('a')))).toMatchObject(deleted)
    }))
})

test('of five that race for a new stream one wins', () =>
  withDouble({}, async ({ client }) => {
    const races = Array.from({ length: 5 }, () =>
      client.appendToStream('a', newEvent(), { expectedRevision: NO_STREAM }),
    )
    const results = await Promise.allSettled(races)
    const lost = results.filter(({ status }) => status === 'rejected')
    expect(lost).toHaveLength(4)
    for (const { reason } of lost as PromiseRejectedResult[]) {
      expect(reason).toBeInstanceOf(WrongExpectedVersionError)
    }
  }))

test('twenty thousand tiny events go in one append', () =>
  withDouble({}, async ({ client }) => {
    const result = await client.appendToStream('a', newEvents(20_000), {
      expectedRevision: NO_STREAM,
    })
    expect(result.nextExpectedRevision).toBe(19_999n)
  }))

test('one message over 16 MiB takes down all appends in flight, and the next one works', () =>
  withDouble({}, async ({ client, double }) => {
    await client.appendToStream('a', newEvent(), { expectedRevision: NO_STREAM })
    double.faults.holdAppends()
    const other = failureOf(client.appendToStream('a', newEvent(), { expectedRevision: 0n }))
    const huge = newEvent('x'.repeat(17 * 1024 * 1024))
    const exhausted = { type: 'unknown', code: 8 }
    expect(
      await failureOf(client.appendToStream('b', huge, { expectedRevision: NO_STREAM })),
    ).toMatchObject(exhausted)
    expect(await other).toMatchObject(exhausted)
    double.faults.releaseAppends()
    expect(
      await client.appendToStream('c', newEvent(), { expectedRevision: NO_STREAM }),
    ).toMatchObject({ success: true })
  }))

test('ids are UUIDs in any spelling and come back lower case with dashes', () =>
  withDouble({}, async ({ client }) => {
    const spelled = '0190B2C4AAAA7BBB8CCC0123456789AB'
    await client.appendToStream('a', newEvent('x', spelled), { expectedRevision: NO_STREAM })
    expect(await idsIn(client, 'a')).toEqual(['0190b2c4-aaaa-7bbb-8ccc-0123456789ab'])
  }))

test('data, metadata, type and time come back as they were', () =>
  withDouble({}, async ({ client }) => {
    const before = Date.now()
    const metadata = { cause: 'ü' }
    await client.appendToStream('straße', [
      jsonEvent({ type: 'Json', data: { text: 'é' }, metadata }),
      { ...newEvent('bytes'), metadata: new Uint8Array([1, 2]) },
    ])
    const [json, binary] = await collect(client.readStream('straße'))
    expect(json?.event).toMatchObject({
      streamId: 'straße',
      type: 'Json',
      isJson: true,
      data: { text: 'é' },
      metadata,
    })
    expect(binary?.event).toMatchObject({ isJson: false, metadata: new Uint8Array([1, 2]) })
    expect(Buffer.from(binary?.event?.data as Uint8Array).toString()).toBe('bytes')
    expect(json?.event?.created.getTime()).toBeGreaterThanOrEqual(before)
  }))

test('an append that the server cannot commit in time is answered with a deadline', () =>
  withDouble({ writeTimeoutMs: 50 }, async ({ client, double }) => {
    double.faults.holdAppends()
    const error = await failureOf(client.appendToStream('a', newEvent(), { expectedRevision: ANY }))
    expect(error).toBeInstanceOf(DeadlineExceededError)
    expect(error).toMatchObject({ message: '' })
    double.faults.releaseAppends()
    expect(await idsIn(client, 'a')).toHaveLength(1)
  }))

describe('the deadline that the client sends is held against the clock of the server', () => {
  test.each([-60_000, 8_000])('a server that is %i ms ahead takes the append', (aheadMs) =>
    withDouble({}, async ({ client, double }) => {
      double.faults.clockAheadMs = aheadMs
      const append = client.appendToStream('a', newEvent(), { expectedRevision: NO_STREAM })
      expect(await append).toMatchObject({ success: true })
    }),
  )

  test('a server that is 12 s ahead refuses every append at once, with the default of 10 s', () =>
    withDouble({ writeTimeoutMs: 60_000 }, async ({ client, double }) => {
      double.faults.clockAheadMs = 12_000
      const options = { expectedRevision: NO_STREAM } as const
      const refused = await failureOf(client.appendToStream('a', newEvent(), options))
      expect(refused).toBeInstanceOf(DeadlineExceededError)
      expect(await idsIn(client, 'a').catch(() => [])).toEqual([])
      const patient = { ...options, deadline: 600_000 }
      expect(await client.appendToStream('a', newEvent(), patient)).toMatchObject({ success: true })
    }))
})
