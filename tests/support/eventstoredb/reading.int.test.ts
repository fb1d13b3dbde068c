/** What reads give: of a stream and of `$all`, in both directions. */
import { describe, expect, test } from 'vitest'
import { until } from '../until.ts'
import {
  BACKWARDS,
  collect,
  END,
  FORWARDS,
  failureOf,
  idsIn,
  NO_STREAM,
  newEvent,
  newEvents,
  positionOf,
  START,
  StreamNotFoundError,
  UnavailableError,
  UnknownError,
  withDouble,
} from './raw-client.ts'

/** Beyond every log of these tests. */
const FAR = 1_000_000_000n

describe('a stream', () => {
  test.each([
    ['from the start', { direction: FORWARDS, fromRevision: START }, [0n, 1n, 2n, 3n, 4n]],
    ['from a revision, inclusive', { direction: FORWARDS, fromRevision: 3n }, [3n, 4n]],
    ['in part', { direction: FORWARDS, fromRevision: 1n, maxCount: 2 }, [1n, 2n]],
    ['from past its end', { direction: FORWARDS, fromRevision: 5n }, []],
    ['forwards from its end', { direction: FORWARDS, fromRevision: END }, []],
    ['its head', { direction: BACKWARDS, fromRevision: END, maxCount: 1 }, [4n]],
    ['backwards from a revision', { direction: BACKWARDS, fromRevision: 2n }, [2n, 1n, 0n]],
    ['backwards from its start', { direction: BACKWARDS, fromRevision: START }, [0n]],
    [
      'backwards from past its end',
      { direction: BACKWARDS, fromRevision: 99n, maxCount: 2 },
      [4n, 3n],
    ],
  ] as const)('is read %s', (_how, options, revisions) =>
    withDouble({}, async ({ client }) => {
      await client.appendToStream('s', newEvents(5), { expectedRevision: NO_STREAM })
      const events = await collect(client.readStream('s', options))
      expect(events.map(({ event }) => event?.revision)).toEqual(revisions)
    }),
  )

  test.each([FORWARDS, BACKWARDS] as const)('that is missing is not found, %s', (direction) =>
    withDouble({}, async ({ client }) => {
      const error = await failureOf(collect(client.readStream('missing', { direction })))
      expect(error).toBeInstanceOf(StreamNotFoundError)
      expect(error).toMatchObject({ streamName: 'missing' })
    }),
  )

  test('no event is no count to ask for', () =>
    withDouble({}, async ({ client }) => {
      await client.appendToStream('s', newEvent())
      const error = await failureOf(collect(client.readStream('s', { maxCount: 0 })))
      expect(error).toBeInstanceOf(UnknownError)
    }))

  test('that is large comes whole and in order', () =>
    withDouble({}, async ({ client }) => {
      const events = newEvents(3_000, 'x'.repeat(300))
      await client.appendToStream('s', events, { expectedRevision: NO_STREAM })
      expect(await idsIn(client, 's')).toEqual(events.map(({ id }) => id))
    }))

  test('with $maxCount loses its old events, and its revisions go on', () =>
    withDouble({}, async ({ client, double }) => {
      await client.appendToStream('s', newEvents(5), { expectedRevision: NO_STREAM })
      await client.setStreamMetadata('s', { maxCount: 2 })
      const revisions = async (options = {}) =>
        (await collect(client.readStream('s', options))).map(({ event }) => event?.revision)
      expect(await revisions()).toEqual([3n, 4n])
      expect(await revisions({ direction: BACKWARDS, fromRevision: END })).toEqual([4n, 3n])
      await client.appendToStream('s', newEvent(), { expectedRevision: 4n })
      expect(await revisions()).toEqual([4n, 5n])
      double.setStreamMetadata('s', { $tb: 5 })
      expect(await revisions()).toEqual([5n])
    }))

  test('that is softly deleted is not found, and goes on at its next revision', () =>
    withDouble({}, async ({ client }) => {
      await client.appendToStream('s', newEvents(2), { expectedRevision: NO_STREAM })
      await client.deleteStream('s')
      const error = await failureOf(collect(client.readStream('s')))
      expect(error).toBeInstanceOf(StreamNotFoundError)
      const result = await client.appendToStream('s', newEvent(), { expectedRevision: NO_STREAM })
      expect(result.nextExpectedRevision).toBe(2n)
      expect(await idsIn(client, 's')).toHaveLength(1)
    }))

  test('whose soft deletion is taken back stays hidden, until it is taken back once more', () =>
    withDouble({}, async ({ client }) => {
      await client.appendToStream('s', newEvents(3), { expectedRevision: NO_STREAM })
      await client.deleteStream('s')
      await client.setStreamMetadata('s', {})
      expect(await idsIn(client, 's')).toEqual([])
      const written = await collect(client.readStream('$$s'))
      expect(written.map(({ event }) => event?.data)).toEqual([{ $tb: 2 ** 63 }, {}, { $tb: 3 }])
      await client.setStreamMetadata('s', {})
      expect(await idsIn(client, 's')).toHaveLength(3)
      expect(await collect(client.readStream('$$s'))).toHaveLength(4)
    }))

  test('keeps its metadata in a stream of its own', () =>
    withDouble({}, async ({ client, double }) => {
      double.setStreamMetadata('s', { $maxCount: 3, own: 'x' })
      expect(await client.getStreamMetadata('s')).toMatchObject({
        metadata: { maxCount: 3, own: 'x' },
      })
      const [kept] = await collect(client.readStream('$$s'))
      expect(kept?.event).toMatchObject({ type: '$metadata', data: { $maxCount: 3, own: 'x' } })
    }))
})

describe('$all', () => {
  test('has every event at a position of its own, higher and higher, also within one append', () =>
    withDouble({}, async ({ client }) => {
      await client.appendToStream('s', newEvents(20), { expectedRevision: NO_STREAM })
      await client.appendToStream('t', newEvents(3), { expectedRevision: NO_STREAM })
      const positions = (await collect(client.readAll())).map(positionOf)
      expect(positions.length).toBeGreaterThan(23)
      expect(positions).toEqual([...new Set(positions)].sort((a, b) => (a < b ? -1 : 1)))
    }))

  test('shows the events of the system too, and one more after every start', () =>
    withDouble({}, async ({ client, double }) => {
      double.setStreamMetadata('s', { $maxCount: 3 })
      await double.stop()
      await double.restart()
      await failureOf(collect(client.readAll())).catch(() => {})
      const last = (await collect(client.readAll())).at(-1)
      const types = (await collect(client.readAll())).map(({ event }) => event?.type)
      expect(types).toContain('$metadata')
      expect(last?.event?.streamId).toBe('$epoch-information')
    }))

  test('is read from a position, inclusive, and backwards from its end', () =>
    withDouble({}, async ({ client }) => {
      const events = newEvents(5)
      const { position } = await client.appendToStream('s', events[0] ?? [], {
        expectedRevision: NO_STREAM,
      })
      await client.appendToStream('s', events.slice(1), { expectedRevision: 0n })
      const ids = async (options: object) =>
        (await collect(client.readAll(options))).map(({ event }) => event?.id)
      const all = events.map(({ id }) => id)
      expect(await ids({ fromPosition: position })).toEqual(all)
      expect(await ids({ fromPosition: position, maxCount: 2 })).toEqual(all.slice(0, 2))
      expect(await ids({ fromPosition: END, direction: BACKWARDS, maxCount: 3 })).toEqual(
        all.slice(2).reverse(),
      )
      expect(await ids({ fromPosition: END })).toEqual([])
    }))

  test('backwards from a position gives what stands before it', () =>
    withDouble({}, async ({ client }) => {
      const events = newEvents(3)
      const { position } = await client.appendToStream('s', events, {
        expectedRevision: NO_STREAM,
      })
      if (position === undefined) throw new Error('an append has a position')
      const options = { fromPosition: position, direction: BACKWARDS, maxCount: 1 } as const
      const [before] = await collect(client.readAll(options))
      expect(before?.event?.id).toBe(events[1]?.id)
    }))

  test.each([
    ['23.10.8', 2],
    ['24.2.0', 3],
  ])('on %s a position inside a record is an unknown error, code %i', (version, code) =>
    withDouble({ version }, async ({ client }) => {
      const { position } = await client.appendToStream('s', newEvents(2))
      const inside = (position?.commit ?? 0n) - 1n
      const fromPosition = { commit: inside, prepare: inside }
      const error = await failureOf(collect(client.readAll({ fromPosition })))
      expect(error).toBeInstanceOf(UnknownError)
      expect(error).toMatchObject({ code })
      const subscription = client.subscribeToAll({ fromPosition })
      expect(await failureOf(collect(subscription))).toMatchObject({ type: 'unknown', code })
    }),
  )

  test('from a position beyond its end is empty', () =>
    withDouble({}, async ({ client }) => {
      const fromPosition = { commit: FAR, prepare: FAR }
      expect(await collect(client.readAll({ fromPosition }))).toEqual([])
    }))

  test('keeps what $maxCount hides in a stream', () =>
    withDouble({}, async ({ client, double }) => {
      await client.appendToStream('s', newEvents(3), { expectedRevision: NO_STREAM })
      double.setStreamMetadata('s', { $maxCount: 1 })
      const streams = (await collect(client.readAll())).map(({ event }) => event?.streamId)
      expect(streams.filter((stream) => stream === 's')).toHaveLength(3)
    }))
})

test('leaving a read early leaves its call open until it is cancelled', () =>
  withDouble({}, async ({ client, double }) => {
    await client.appendToStream('s', newEvents(1_500, 'x'.repeat(500)))
    const read = client.readStream('s')
    read.on('error', () => {})
    for await (const _event of read) break
    expect(double.observed.openReads).toBe(1)
    await read.cancel()
    await until(() => double.observed.openReads === 0)
  }))

test('a read while the server is down is unavailable', () =>
  withDouble({}, async ({ client, double }) => {
    await client.appendToStream('s', newEvent())
    await double.kill()
    const error = await failureOf(collect(client.readStream('s')))
    expect(error).toBeInstanceOf(UnavailableError)
    expect(error).toMatchObject({ code: 14 })
  }))
