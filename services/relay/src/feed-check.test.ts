import { type RecordedEvent, START } from '@svc/contracts/ports/event-store'
import { MemoryBus } from '@svc/infra/bus/memory/memory-bus'
import { MemoryCluster } from '@svc/infra/bus/memory/memory-cluster'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { AccountHistory, START_MS } from '@svc/testing/account-history'
import { expect, test } from 'vitest'
import { checkFeed, type FeedFinding } from './feed-check.ts'
import { feedRecord } from './feed-record.ts'
import { resendFeed } from './feed-resend.ts'

type Records = readonly RecordedEvent[]

const plan = { name: 'svc.ledger', partitions: 2 }
const pace = { step: async <Result>(work: () => Result | PromiseLike<Result>) => work() }
const signal = new AbortController().signal

test('a topic with every event has no findings', async () => {
  const { check, send, events } = await twoAccounts()
  await send(events)
  expect(await check()).toEqual({
    keys: 2,
    events: events.length,
    records: events.length,
    doubled: 0,
    late: 0,
    findings: [],
  })
})

test('events that come twice are counted, and are no finding', async () => {
  const { check, send, events } = await twoAccounts()
  await send(events)
  await send(events.slice(3, 9))
  expect(await check()).toMatchObject({ doubled: 6, late: 0, findings: [] })
})

test('events that two send in turn are counted, and are no finding', async () => {
  const { check, send, events } = await twoAccounts()
  await send(events.flatMap((event) => [event, event]))
  expect(await check()).toMatchObject({ doubled: events.length, late: 0, findings: [] })
})

test.each([
  ['the first', 0],
  ['one in the middle', 4],
  ['the last', 8],
])('an event that is missing is found: %s', async (_, revision) => {
  const { check, send, events, ada } = await twoAccounts()
  const stream = `account-${ada}`
  const lost = events.find((event) => event.stream === stream && event.revision === revision)
  await send(events.filter((event) => event !== lost))
  const finding = { key: ada, events: 9, missing: 1, isHashWrong: false, isOtherHistory: false }
  expect((await check()).findings).toEqual([{ ...finding, firstMissing: lost?.position }])
})

test('an account that is not in the topic at all is found', async () => {
  const { check, send, events, ada } = await twoAccounts()
  await send(events.filter(({ stream }) => stream !== `account-${ada}`))
  expect((await check()).findings).toMatchObject([{ key: ada, missing: 9 }])
})

test('a last event with another hash is found', async () => {
  const { check, send, events, ada } = await twoAccounts()
  const altered = events.map((event) => {
    const isIt = event.stream === `account-${ada}` && event.revision === 8
    return isIt ? { ...event, hash: '0'.repeat(64) } : event
  })
  await send(altered)
  expect((await check()).findings).toEqual([
    {
      key: ada,
      events: 9,
      missing: 0,
      firstMissing: null,
      isHashWrong: true,
      isOtherHistory: true,
    },
  ] satisfies FeedFinding[])
})

test.each<[string, (right: Records, others: Records) => Records[]]>([
  ['before those of the log', (right, others) => [right.slice(0, 4), others, right.slice(4)]],
  ['behind those of the log', (right, others) => [right, others]],
  [
    'in the place of those of the log',
    (right, others) => [right.slice(0, 4), others, right.slice(8)],
  ],
  ['in the middle of a second sending', (right, others) => [right, right.slice(0, 4), others]],
])('records of another history are found: %s', async (_, order) => {
  const { check, send, events, ada, bob } = await twoAccounts()
  const right = events.filter(({ stream }) => stream === `account-${ada}`)
  const others = right.slice(4, 8).map((event) => {
    return { ...event, id: `${event.id}-other`, hash: event.hash.replace(/^./, '-') }
  })
  await send(events.filter(({ stream }) => stream === `account-${bob}`))
  for (const records of order(right, others)) await send(records)
  const found = { key: ada, missing: 0, isHashWrong: false, isOtherHistory: true }
  const { findings } = await check()
  expect(findings).toHaveLength(1)
  expect(findings).toMatchObject([found])
})

test('an account that the topic has and the log lacks is of another history', async () => {
  const { check, send, events } = await twoAccounts()
  const eve = await eventsOf('eve')
  await send([...events, ...eve])
  const found = await check()
  expect(found).toMatchObject({ keys: 2, events: events.length })
  expect(found.findings).toEqual([
    {
      key: eve[0]?.stream.replace('account-', '') ?? '',
      events: 0,
      missing: 0,
      firstMissing: null,
      isHashWrong: false,
      isOtherHistory: true,
    },
  ] satisfies FeedFinding[])
})

test('what the topic has of an account behind all that the log has is of another history', async () => {
  const { check, send, events, ada } = await twoAccounts()
  const last = events.findLast(({ stream }) => stream === `account-${ada}`)
  if (last === undefined) throw new Error('there is an event')
  await send([...events, { ...last, id: `${last.id}-later`, revision: last.revision + 1 }])
  const finding = { key: ada, events: 9, missing: 0, firstMissing: null }
  expect((await check()).findings).toEqual([
    { ...finding, isHashWrong: false, isOtherHistory: true },
  ])
})

test('what was sent behind the checked position is of the same history', async () => {
  const { check, send, events } = await twoAccounts()
  await send(events)
  const found = { events: 7, records: events.length, findings: [] }
  expect(await check(events[6]?.position)).toMatchObject(found)
})

test('a record that no feed has sent is no finding', async () => {
  const { check, send, events, topic } = await twoAccounts()
  await send(events)
  await topic.deliver([{ key: 'guest', value: '{}', headers: {} }], signal)
  expect(await check()).toMatchObject({ findings: [] })
})

test('events behind the checked position are nothing that is missing', async () => {
  const { check, send, events } = await twoAccounts()
  const upTo = events[6]?.position ?? START
  await send(events.slice(0, 7))
  expect(await check(upTo)).toMatchObject({ events: 7, findings: [] })
})

test('what is missing is there after it was sent again', async () => {
  const { check, send, events, ada, resend } = await twoAccounts()
  await send(events.filter(({ revision }) => revision < 3 || revision > 5))
  const [finding, other] = (await check()).findings
  expect(finding).toMatchObject({ missing: 3 })
  expect(other).toMatchObject({ missing: 3 })
  expect(await resend(finding?.firstMissing ?? START, ada)).toBe(6)
  const found = await check()
  expect(found).toMatchObject({ late: 3, doubled: 3, findings: [{ missing: 3 }] })
  expect(found.findings).toHaveLength(1)
  await resend(START)
  expect((await check()).findings).toEqual([])
})

async function eventsOf(name: string): Promise<Records> {
  const store = new MemoryEventStore()
  await new AccountHistory(name).open().writeTo(store)
  return store.readAll({ after: START, limit: 1_000 })
}

async function twoAccounts() {
  const store = new MemoryEventStore()
  const topic = await new MemoryBus(new MemoryCluster()).open(plan)
  const [ada, bob] = ['ada', 'bob'].map((name) => new AccountHistory(name).open())
  for (const account of [ada, bob]) {
    for (const request of ['req_1', 'req_2']) {
      account?.accept(request, START_MS).settle(request, START_MS)
    }
    await account?.writeTo(store)
  }
  const events = await store.readAll({ after: START, limit: 1_000 })
  const all = events.at(-1)?.position ?? START
  return {
    topic,
    ada: ada?.accountId ?? '',
    bob: bob?.accountId ?? '',
    events,
    check: (upTo = all) => checkFeed({ store, topic, pace }, { upTo, signal }),
    send: async (some: readonly RecordedEvent[]) => {
      const records = some
        .map((event) => feedRecord(event))
        .filter((record) => record !== undefined)
      await topic.deliver(records, signal)
    },
    resend: (from: bigint, key?: string) => {
      return resendFeed({ store, topic, pace }, { from, upTo: all, key, signal })
    },
  }
}
