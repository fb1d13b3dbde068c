/** What a client sees when the server dies, ends, starts or stands still: the table of failures. */
import { describe, expect, test } from 'vitest'
import { until } from '../until.ts'
import {
  type AppendToStreamOptions,
  CancelledError,
  collect,
  DeadlineExceededError,
  type DoubleSession,
  failureOf,
  idsIn,
  NO_STREAM,
  newEvent,
  UnavailableError,
  UnknownError,
  withDouble,
} from './raw-client.ts'

const noStream = { expectedRevision: NO_STREAM } as const

/** The client's connection and its stream of appends are up after this. */
async function warm({ client }: DoubleSession): Promise<void> {
  await client.appendToStream('warm', newEvent(), noStream)
}

/** Sends an append that stays in flight. */
async function sendHeld(
  session: DoubleSession,
  options: AppendToStreamOptions = noStream,
): Promise<{ readonly id: string; readonly failure: Promise<unknown> }> {
  const { client, double } = session
  await warm(session)
  double.faults.holdAppends()
  const event = newEvent()
  const failure = failureOf(client.appendToStream('s', event, options))
  await until(() => double.observed.appendsUncommitted === 1)
  return { id: event.id, failure }
}

describe('a kill with an append in flight', () => {
  test.each(['lose', 'commit'] as const)('is unavailable, and may %s it', (atKill) =>
    withDouble({}, async (session) => {
      const { client, double } = session
      double.faults.atKill = atKill
      const { id, failure } = await sendHeld(session)
      await double.kill()
      const error = await failure
      expect(error).toBeInstanceOf(UnavailableError)
      expect(error).toMatchObject({ code: 14 })
      double.faults.releaseAppends()
      await double.restart()
      const found = await idsIn(client, 's').catch(() => [])
      expect(found).toEqual(atKill === 'commit' ? [id] : [])
    }),
  )

  test('loses nothing that was acknowledged', () =>
    withDouble({}, async (session) => {
      const { client, double } = session
      await warm(session)
      const acknowledged: string[] = []
      for (let round = 0; round < 3; round += 1) {
        const event = newEvent()
        await client.appendToStream(`s-${round}`, event, noStream)
        acknowledged.push(event.id)
        await double.kill()
        await double.restart()
        await client.appendToStream('other', newEvent()).catch(() => {})
      }
      const all = (await collect(client.readAll())).map(({ event }) => event?.id)
      expect(all).toEqual(expect.arrayContaining(acknowledged))
    }))
})

test('a stop with an append in flight is an unknown error, code 13', () =>
  withDouble({}, async (session) => {
    const { failure } = await sendHeld(session)
    await session.double.stop()
    const error = await failure
    expect(error).toBeInstanceOf(UnknownError)
    expect(error).toMatchObject({
      code: 13,
      message: expect.stringContaining('Received RST_STREAM with code 0'),
    })
  }))

test('a stop of 24.2 with an append in flight is "not ready", and it is not committed', () =>
  withDouble({ version: '24.2.0' }, async (session) => {
    const { client, double } = session
    double.faults.atKill = 'commit'
    const { failure } = await sendHeld(session)
    await double.stop()
    expect(await failure).toMatchObject({ message: 'Could not recognize Server Is Not Ready' })
    await double.restart()
    expect(await idsIn(client, 's').catch(() => idsIn(client, 's').catch(() => []))).toEqual([])
  }))

test('the same client works again after a kill', () =>
  withDouble({}, async (session) => {
    const { client, double } = session
    const { failure } = await sendHeld(session)
    await double.kill()
    await failure
    double.faults.releaseAppends()
    await double.restart()
    expect(await client.appendToStream('t', newEvent(), noStream)).toMatchObject({ success: true })
  }))

test('the same client works again after a restart while it was idle', () =>
  withDouble({}, async (session) => {
    const { client, double } = session
    await warm(session)
    await double.stop()
    await double.restart()
    expect(await client.appendToStream('t', newEvent(), noStream)).toMatchObject({ success: true })
  }))

test('an append while the server is down is a plain error with code 14', () =>
  withDouble({}, async ({ client, double }) => {
    await double.kill()
    const error = await failureOf(client.appendToStream('s', newEvent(), noStream))
    expect(error).toMatchObject({ code: 14 })
    expect(error).not.toHaveProperty('type')
  }))

test('a server that starts is not ready for a while', () =>
  withDouble({ notReadyForMs: 300 }, async ({ client }) => {
    const appending = await failureOf(client.appendToStream('s', newEvent(), noStream))
    expect(appending).toBeInstanceOf(UnknownError)
    expect(appending).toMatchObject({ message: 'Could not recognize Server Is Not Ready' })
    const reading = await failureOf(collect(client.readStream('s')))
    expect(reading).toBeInstanceOf(UnavailableError)
    expect(reading).toMatchObject({ message: expect.stringContaining('Server Is Not Ready') })
    let isReady = false
    while (!isReady) {
      isReady = await client.appendToStream('s', newEvent()).then(
        () => true,
        () => false,
      )
    }
  }))

describe('a server that stands still', () => {
  const keepAlive = '&keepAliveInterval=300&keepAliveTimeout=200'

  test('for longer than the keepalive: unavailable, and the append may be committed', () =>
    withDouble(
      {},
      async (session) => {
        const { client, double } = session
        await warm(session)
        double.freeze()
        const event = newEvent()
        const error = await failureOf(client.appendToStream('s', event, noStream))
        expect(error).toBeInstanceOf(UnavailableError)
        expect(error).toMatchObject({ message: expect.stringContaining('Connection dropped') })
        double.thaw()
        expect(await client.appendToStream('s', event, noStream)).toMatchObject({
          nextExpectedRevision: 0n,
        })
        expect(await idsIn(client, 's')).toEqual([event.id])
      },
      keepAlive,
    ))

  test('for longer than the keepalive: reads and subscriptions end too', () =>
    withDouble(
      {},
      async (session) => {
        const { client, double } = session
        await warm(session)
        const subscription = client.subscribeToAll({})
        const ended = failureOf(collect(subscription))
        await until(() => double.observed.openSubscriptions === 1)
        double.freeze()
        expect(await failureOf(collect(client.readStream('warm')))).toBeInstanceOf(UnavailableError)
        expect(await ended).toBeInstanceOf(UnavailableError)
      },
      keepAlive,
    ))

  test('for less than the keepalive: no error, and it commits when it goes on', () =>
    withDouble({}, async (session) => {
      const { client, double } = session
      await warm(session)
      const committed = double.observed.eventsCommitted
      double.freeze()
      let isAnswered = false
      const append = client.appendToStream('s', newEvent(), noStream).finally(() => {
        isAnswered = true
      })
      await new Promise((resolve) => setTimeout(resolve, 200))
      expect(isAnswered).toBe(false)
      expect(double.observed.eventsCommitted).toBe(committed)
      double.thaw()
      expect(await append).toMatchObject({ success: true })
    }))

  test('takes new connections and says nothing on them until it goes on', () =>
    withDouble({}, async ({ client, double }) => {
      double.freeze()
      const append = client.appendToStream('s', newEvent(), noStream)
      await until(() => double.observed.connections > 0)
      expect(double.observed.appendsReceived).toBe(0)
      double.thaw()
      expect(await append).toMatchObject({ success: true })
    }))

  test('the classic call keeps its deadline', () =>
    withDouble({}, async (session) => {
      const { client, double } = session
      await warm(session)
      double.freeze()
      const credentials = { username: 'admin', password: 'changeit' }
      const options = { ...noStream, credentials, deadline: 200 }
      const error = await failureOf(client.appendToStream('s', newEvent(), options))
      expect(error).toBeInstanceOf(DeadlineExceededError)
      expect(error).toMatchObject({ code: 4 })
    }))
})

test('a client that is disposed of with an append in flight knows nothing of its outcome', () =>
  withDouble({}, async (session) => {
    const { client, double } = session
    const { id, failure } = await sendHeld(session)
    await client.dispose()
    const error = await failure
    expect(error).toBeInstanceOf(UnknownError)
    expect(error).not.toBeInstanceOf(CancelledError)
    expect(error).toMatchObject({ code: 1 })
    double.faults.releaseAppends()
    expect(await idsIn(client, 's')).toEqual([id])
  }))
