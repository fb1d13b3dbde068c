/** What sending the same ids again answers: the table of retries, row by row. */
import { describe, expect, test } from 'vitest'
import { until } from '../until.ts'
import {
  ANY,
  collect,
  DeadlineExceededError,
  type DoubleSession,
  type EventData,
  failureOf,
  idsIn,
  NO_STREAM,
  newEvent,
  newEvents,
  STREAM_EXISTS,
  WrongExpectedVersionError,
  withDouble,
} from './raw-client.ts'

interface Written {
  readonly a: EventData
  readonly b: EventData
  readonly c: EventData
  readonly d: EventData
  readonly e: EventData
}

/** Writes a, then b, d, e after it: an earlier batch at revision 0. */
async function writeBatch({ client }: DoubleSession): Promise<Written> {
  const [a, b, c, d, e] = newEvents(5) as [EventData, EventData, EventData, EventData, EventData]
  await client.appendToStream('s', a, { expectedRevision: NO_STREAM })
  await client.appendToStream('s', [b, d, e], { expectedRevision: 0n })
  return { a, b, c, d, e }
}

describe('an exact revision is idempotent for good', () => {
  const circumstances: readonly (readonly [string, (session: DoubleSession) => Promise<void>])[] = [
    ['at once', async () => {}],
    [
      'after many later events',
      async ({ client }) => {
        await client.appendToStream('s', newEvents(2_000), { expectedRevision: 3n })
      },
    ],
    [
      'after a restart',
      async ({ double }) => {
        await double.stop()
        await double.restart()
      },
    ],
    [
      'after a kill',
      async ({ double }) => {
        await double.kill()
        await double.restart()
      },
    ],
  ]

  test.each(circumstances)('the same batch %s: success, as the original', (_when, happens) =>
    withDouble({}, async (session) => {
      const { client } = session
      const { b, d, e } = await writeBatch(session)
      const last = (await collect(client.readStream('s'))).at(-1)
      await happens(session)
      const committed = session.double.observed.eventsCommitted
      const again = await retried(() =>
        client.appendToStream('s', [b, d, e], { expectedRevision: 0n }),
      )
      expect(again).toEqual({
        success: true,
        nextExpectedRevision: 3n,
        position: last?.event?.position,
      })
      expect(session.double.observed.eventsCommitted).toBe(committed)
    }),
  )

  test('the same batch after truncation: success without a position', () =>
    withDouble({}, async (session) => {
      const { b, d, e } = await writeBatch(session)
      session.double.setStreamMetadata('s', { $tb: 4 })
      const options = { expectedRevision: 0n }
      expect(await session.client.appendToStream('s', [b, d, e], options)).toEqual({
        success: true,
        nextExpectedRevision: 3n,
        position: undefined,
      })
    }))

  test.each([
    ['a prefix', ({ b, d }: Written) => [b, d], 0n, 2n],
    ['a prefix of one', ({ b }: Written) => [b], 0n, 1n],
    ['a suffix at its own revision', ({ d, e }: Written) => [d, e], 1n, 3n],
  ] as const)('%s: success, the revision of the last one named', (_what, pick, at, next) =>
    withDouble({}, async (session) => {
      const events = pick(await writeBatch(session))
      const result = await session.client.appendToStream('s', events, { expectedRevision: at })
      expect(result.nextExpectedRevision).toBe(next)
      expect(await idsIn(session.client, 's')).toHaveLength(4)
    }),
  )

  test.each([
    ['a superset', ({ b, d, e, c }: Written) => [b, d, e, c]],
    ['another order', ({ b, d, e }: Written) => [d, b, e]],
    ['one of it and a new one', ({ b, c }: Written) => [b, c]],
    ['its second event at its first revision', ({ d }: Written) => [d]],
  ] as const)('%s: wrong expected version', (_what, pick) =>
    withDouble({}, async (session) => {
      const events = pick(await writeBatch(session))
      const error = await failureOf(
        session.client.appendToStream('s', events, { expectedRevision: 0n }),
      )
      expect(error).toBeInstanceOf(WrongExpectedVersionError)
      expect(error).toMatchObject({ expectedVersion: 0n, actualVersion: 3n })
      expect(await idsIn(session.client, 's')).toHaveLength(4)
    }),
  )

  test('no_stream again: success, as the original', () =>
    withDouble({}, async ({ client }) => {
      const first = newEvent()
      const options = { expectedRevision: NO_STREAM } as const
      const original = await client.appendToStream('s', first, options)
      await client.appendToStream('s', newEvents(2), { expectedRevision: 0n })
      expect(await client.appendToStream('s', first, options)).toEqual(original)
    }))
})

test('the same ids with other data: success, and the first data stays', () =>
  withDouble({}, async ({ client }) => {
    const first = newEvent('first')
    const options = { expectedRevision: NO_STREAM } as const
    await client.appendToStream('s', first, options)
    const other = newEvent('other', first.id)
    expect(await client.appendToStream('s', other, options)).toMatchObject({ success: true })
    const [read] = await collect(client.readStream('s'))
    expect(Buffer.from(read?.event?.data as Uint8Array).toString()).toBe('first')
  }))

test('the same ids at the revision of the head are written again', () =>
  withDouble({}, async (session) => {
    const { e } = await writeBatch(session)
    await session.client.appendToStream('s', e, { expectedRevision: 3n })
    expect((await idsIn(session.client, 's')).slice(-2)).toEqual([e.id, e.id])
  }))

test('the same id in another stream, or twice in one append, is written', () =>
  withDouble({}, async ({ client }) => {
    const event = newEvent()
    await client.appendToStream('s', event, { expectedRevision: NO_STREAM })
    await client.appendToStream('t', [event, event], { expectedRevision: NO_STREAM })
    expect(await idsIn(client, 't')).toEqual([event.id, event.id])
  }))

describe.each([ANY, STREAM_EXISTS] as const)(
  '%s is idempotent in a warm server only',
  (expectedRevision) => {
    test('warm: success, the original revision', () =>
      withDouble({}, async (session) => {
        const { b, d, e } = await writeBatch(session)
        await session.client.appendToStream('s', newEvent(), { expectedRevision: 3n })
        const result = await session.client.appendToStream('s', [b, d, e], { expectedRevision })
        expect(result.nextExpectedRevision).toBe(3n)
        expect(await idsIn(session.client, 's')).toHaveLength(5)
      }))

    test('after a restart: written again', () =>
      withDouble({}, async (session) => {
        const { client, double } = session
        const { b, d, e } = await writeBatch(session)
        await double.kill()
        await double.restart()
        await retried(() => client.appendToStream('s', [b, d, e], { expectedRevision }))
        expect((await idsIn(client, 's')).slice(-3)).toEqual([b.id, d.id, e.id])
        expect(await idsIn(client, 's')).toHaveLength(7)
      }))
  },
)

test('ids sent again while they are in flight are dropped; a third send learns of the success', () =>
  withDouble({ writeTimeoutMs: 300 }, async ({ client, double }) => {
    await client.appendToStream('warm', newEvent(), { expectedRevision: NO_STREAM })
    double.faults.holdAppends()
    const event = newEvent()
    const send = () => client.appendToStream('s', event, { expectedRevision: NO_STREAM })
    const first = send()
    await until(() => double.observed.appendsReceived === 2)
    const second = failureOf(send())
    await until(() => double.observed.appendsReceived === 3)
    double.faults.releaseAppends()
    expect(await first).toMatchObject({ success: true })
    expect(await second).toBeInstanceOf(DeadlineExceededError)
    expect(await send()).toEqual(await first)
    expect(await idsIn(client, 's')).toEqual([event.id])
  }))

/** A client whose connection was lost learns of it with the first call, and works with the next. */
async function retried<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act()
  } catch {
    return await act()
  }
}
