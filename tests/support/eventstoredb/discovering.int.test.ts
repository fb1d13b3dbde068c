/** How clients find the node to talk to, and how many calls one connection carries. */
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import { EventStoreDbDouble } from './eventstoredb-double.ts'
import {
  EventStoreDBClient,
  failureOf,
  idsIn,
  NO_STREAM,
  newEvent,
  withDouble,
} from './raw-client.ts'

const noStream = { expectedRevision: NO_STREAM } as const

/** Runs a test with a client of a connection string of its own. */
async function withClient(
  url: string,
  act: (client: EventStoreDBClient) => Promise<void>,
): Promise<void> {
  const client = EventStoreDBClient.connectionString(url)
  try {
    await act(client)
  } finally {
    await client.dispose()
  }
}

test.each([
  ['several hosts', (port: number) => `esdb://127.0.0.1:${port},127.0.0.1:1?tls=false`],
  ['discovery', (port: number) => `esdb+discover://127.0.0.1:${port}?tls=false`],
])('a connection string with %s finds the node', async (_what, urlOf) => {
  const double = await EventStoreDbDouble.start()
  await withClient(urlOf(double.port), async (client) => {
    const event = newEvent()
    await client.appendToStream('s', event, noStream)
    expect(await idsIn(client, 's')).toEqual([event.id])
  })
  await double.close()
})

test('a follower names the leader', async () => {
  const leader = await EventStoreDbDouble.start()
  const follower = await EventStoreDbDouble.start()
  follower.faults.notLeader = { host: '127.0.0.1', port: leader.port }
  await withClient(`esdb+discover://127.0.0.1:${follower.port}?tls=false`, async (client) => {
    await client.appendToStream('s', newEvent(), { ...noStream, requiresLeader: true })
    expect(leader.observed.appendsReceived).toBe(1)
    expect(follower.observed.appendsReceived).toBe(0)
  })
  await follower.close()
  await leader.close()
})

test('a client that found no node fails every append ever after, also when the node is back', async () => {
  const double = await EventStoreDbDouble.start()
  await double.kill()
  const url = `esdb+discover://127.0.0.1:${double.port}?tls=false&maxDiscoverAttempts=2`
  const append = (client: EventStoreDBClient) => client.appendToStream('s', newEvent(), noStream)
  await withClient(url, async (client) => {
    const notFound = { message: 'Failed to discover after 2 attempts.' }
    expect(await failureOf(append(client))).toMatchObject(notFound)
    await double.restart()
    expect(await failureOf(append(client))).toMatchObject(notFound)
  })
  await withClient(url, async (client) => {
    expect(await append(client)).toMatchObject({ success: true })
  })
  await double.close()
})

test('a connection carries a hundred calls; what is more waits without an error', () =>
  withDouble({}, async ({ client, double }) => {
    let confirmed = 0
    const subscriptions = Array.from({ length: 103 }, () =>
      client
        .subscribeToAll({})
        .on('data', () => {})
        .on('confirmation', () => {
          confirmed += 1
        }),
    )
    await until(() => double.observed.openCalls.length === 103 && confirmed >= 100)
    expect(confirmed).toBe(100)
    expect(double.observed.openSubscriptions).toBe(100)
    for (const subscription of subscriptions.splice(0, 3)) await subscription.unsubscribe()
    await until(() => confirmed === 103)
    await Promise.all(subscriptions.map((subscription) => subscription.unsubscribe()))
  }))
