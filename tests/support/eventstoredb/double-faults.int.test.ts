/** The switches for what goes wrong, as a client meets them. */
import { describe, expect, test } from 'vitest'
import { until } from '../until.ts'
import type { AppendFault } from './double-faults.ts'
import { EventStoreDbDouble } from './eventstoredb-double.ts'
import {
  collect,
  DeadlineExceededError,
  type DoubleSession,
  failureOf,
  idsIn,
  NO_STREAM,
  newEvent,
  StreamNotFoundError,
  UnavailableError,
  UnknownError,
  withDouble,
} from './raw-client.ts'

const noStream = { expectedRevision: NO_STREAM } as const

async function warm({ client }: DoubleSession): Promise<void> {
  await client.appendToStream('warm', newEvent(), noStream)
}

test('a held append is absent to a read and committed right after: absence proves nothing', () =>
  withDouble({}, async (session) => {
    const { client, double } = session
    await warm(session)
    double.faults.holdAppends()
    const event = newEvent()
    const append = client.appendToStream('s', event, noStream)
    await until(() => double.observed.appendsUncommitted === 1)
    expect(await failureOf(idsIn(client, 's'))).toBeInstanceOf(StreamNotFoundError)
    double.faults.releaseAppends()
    expect(await append).toMatchObject({ nextExpectedRevision: 0n })
    expect(await idsIn(client, 's')).toEqual([event.id])
  }))

test('held appends are committed in the order in which they came', () =>
  withDouble({}, async (session) => {
    const { client, double } = session
    await warm(session)
    double.faults.holdAppends()
    const first = client.appendToStream('s', newEvent(), noStream)
    await until(() => double.observed.appendsUncommitted === 1)
    const second = failureOf(client.appendToStream('s', newEvent(), noStream))
    await until(() => double.observed.appendsUncommitted === 2)
    double.faults.releaseAppends()
    expect(await first).toMatchObject({ success: true })
    expect(await second).toMatchObject({ type: 'wrong-expected-version', actualVersion: 0n })
  }))

describe('an append that goes wrong', () => {
  const faults: readonly (readonly [AppendFault, new (...parts: never[]) => Error])[] = [
    [{ commits: true, says: 'reset' }, UnavailableError],
    [{ commits: false, says: 'reset' }, UnavailableError],
    [{ commits: true, says: 'timeout' }, DeadlineExceededError],
    [{ commits: false, says: 'timeout' }, DeadlineExceededError],
    [{ commits: true, says: 'not ready' }, UnknownError],
    [{ commits: false, says: 'not ready' }, UnknownError],
  ]

  test.each(faults)('%o, once, and is settled by sending it again', (fault, kind) =>
    withDouble({ writeTimeoutMs: 20 }, async (session) => {
      const { client, double } = session
      await warm(session)
      const committed = double.observed.eventsCommitted
      double.faults.disturbNextAppends(fault)
      const event = newEvent()
      const error = await failureOf(client.appendToStream('s', event, noStream))
      expect(error).toBeInstanceOf(kind)
      expect(double.observed.eventsCommitted - committed).toBe(fault.commits ? 1 : 0)
      const again = await client.appendToStream('s', event, noStream)
      expect(again).toMatchObject({ nextExpectedRevision: 0n })
      expect(await idsIn(client, 's')).toEqual([event.id])
    }),
  )

  test.each([true, false])('may never be answered; committed: %s', (commits) =>
    withDouble({}, async (session) => {
      const { client, double } = session
      await warm(session)
      double.faults.disturbNextAppends({ commits, says: 'silence' })
      const event = newEvent()
      let isAnswered = false
      const silent = client.appendToStream('s', event, noStream).finally(() => {
        isAnswered = true
      })
      const again = await client.appendToStream('s', event, noStream)
      expect(again).toMatchObject({ nextExpectedRevision: 0n })
      expect(isAnswered).toBe(false)
      await client.dispose()
      expect(await failureOf(silent)).toMatchObject({ code: 1 })
    }),
  )
})

test('delays hold back the commit and the answer', () =>
  withDouble({}, async (session) => {
    const { client, double } = session
    await warm(session)
    double.faults.commitDelayMs = 50
    double.faults.answerDelayMs = 50
    const committed = double.observed.eventsCommitted
    let isAnswered = false
    const append = client.appendToStream('s', newEvent(), noStream).then(() => {
      isAnswered = true
    })
    await until(() => double.observed.appendsUncommitted === 1)
    expect(double.observed.eventsCommitted).toBe(committed)
    await until(() => double.observed.eventsCommitted > committed)
    expect(isAnswered).toBe(false)
    await append
  }))

test('after a kill reads lag behind what it committed last; what was acknowledged they see', () =>
  withDouble({}, async (session) => {
    const { client, double } = session
    const acknowledged = newEvent()
    await client.appendToStream('s', acknowledged, noStream)
    double.faults.atKill = 'commit'
    double.faults.indexLagMs = 200
    double.faults.holdAppends()
    const event = newEvent()
    const failure = failureOf(client.appendToStream('s', event, { expectedRevision: 0n }))
    await until(() => double.observed.appendsUncommitted === 1)
    await double.kill()
    await failure
    double.faults.releaseAppends()
    await double.restart()
    expect(await idsIn(client, 's')).toEqual([acknowledged.id])
    const again = await client.appendToStream('s', event, { expectedRevision: 0n })
    expect(again).toMatchObject({ nextExpectedRevision: 1n })
    let ids: string[] = []
    while (ids.length < 2) ids = await idsIn(client, 's')
    expect(ids).toEqual([acknowledged.id, event.id])
  }))

test.each([1, 2, 3])('random crashes with seed %i: resending settles every append', (seed) =>
  withDouble({}, async (session) => {
    const { client, double } = session
    await warm(session)
    double.faults.randomise(seed)
    const events = Array.from({ length: 64 }, () => newEvent())
    const sends = events.map((event, at) => client.appendToStream(`s-${at}`, event, noStream))
    await until(() => double.observed.appendsReceived > 32)
    await double.kill()
    const first = await Promise.allSettled(sends)
    expect(first.some(({ status }) => status === 'rejected')).toBe(true)
    await double.restart()
    for (const [at, event] of events.entries()) {
      const send = () => client.appendToStream(`s-${at}`, event, noStream)
      expect(await send()).toMatchObject({ nextExpectedRevision: 0n })
      expect(await idsIn(client, `s-${at}`)).toEqual([event.id])
    }
  }),
)

test('the same seed gives the same tosses', () =>
  withDouble({}, async ({ double }) => {
    const tosses = (seed: number): boolean[] => {
      double.faults.randomise(seed)
      return Array.from({ length: 32 }, () => double.faults.survivesKill())
    }
    expect(tosses(7)).toEqual(tosses(7))
    expect(tosses(7)).not.toEqual(tosses(8))
    expect(new Set(tosses(7)).size).toBe(2)
  }))

test('calls that require the leader are sent to it, and other calls are served', () =>
  withDouble({}, async ({ client, double }) => {
    const leader = { address: '127.0.0.1', port: double.port }
    double.faults.notLeader = { host: leader.address, port: leader.port }
    const notLeader = { type: 'not-leader', code: 5, leader }
    const append = client.appendToStream('s', newEvent(), { ...noStream, requiresLeader: true })
    expect(await failureOf(append)).toMatchObject(notLeader)
    const read = client.readStream('s', { requiresLeader: true })
    expect(await failureOf(collect(read))).toMatchObject(notLeader)
    const event = newEvent()
    await client.appendToStream('s', event, noStream)
    expect(await idsIn(client, 's')).toEqual([event.id])
  }))

test('the append that opens the stream of appends says for all whether the leader is required', () =>
  withDouble({}, async ({ client, double }) => {
    await client.appendToStream('s', newEvent(), noStream)
    double.faults.notLeader = { host: '127.0.0.1', port: double.port }
    const append = client.appendToStream('t', newEvent(), { ...noStream, requiresLeader: true })
    expect(await append).toMatchObject({ success: true })
  }))

test('a client that was sent to the leader is there with its next call', async () => {
  const leader = await EventStoreDbDouble.start()
  await withDouble({}, async ({ client, double }) => {
    double.faults.notLeader = { host: '127.0.0.1', port: leader.port }
    const append = () =>
      client.appendToStream('s', newEvent(), { ...noStream, requiresLeader: true })
    expect(await failureOf(append())).toMatchObject({ type: 'not-leader' })
    expect(await append()).toMatchObject({ success: true })
    expect(leader.observed.appendsReceived).toBe(1)
    expect(double.observed.appendsReceived).toBe(0)
  })
  await leader.close()
})
