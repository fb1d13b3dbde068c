/** What becomes of records when the broker, or the network before it, fails in the middle. */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { BusAwayError, BusRewoundError, type BusTopic } from '@svc/contracts/ports/bus'
import { describeOnOwnKafka } from '@svc/testing/kafka/describe-on-kafka'
import { CLUSTER_START_MS_MAX, KafkaCluster } from '@svc/testing/kafka/kafka-cluster'
import {
  JOIN_GROUP,
  LEAVE_GROUP,
  LossyProxy,
  PRODUCE,
  SYNC_GROUP,
} from '@svc/testing/kafka/lossy-proxy'
import kafkajs from 'kafkajs'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { systemTimer } from '../../system/system-timer.ts'
import { all, recordOf } from '../bus.suite.ts'
import { KafkaBus } from './kafka-bus.ts'

/** How long an answer is held: longer than a request may take. */
const ANSWER_HELD_MS = 6_000
const FROZEN_MS = 1_000
const BROKER_DOWN_MS = 500
/** How long joining is held: longer than closing a consumer takes. */
const JOIN_HELD_MS = 2_000
/**
 * How long the answer to a member is held, as in a group whose leader is silent: longer than a
 * request, shorter than a session.
 */
const SYNC_HELD_MS = 7_000
/** On a busy machine a frozen broker would lose its session, and its partitions their leader. */
const SETTINGS = { 'broker.session.timeout.ms': '6000' }
const never = new AbortController().signal

describeOnOwnKafka('Kafka that fails', () => {
  let cluster: KafkaCluster
  let proxy: LossyProxy
  const opened: KafkaBus[] = []
  beforeAll(async () => {
    proxy = await LossyProxy.listen()
    cluster = await KafkaCluster.start({ advertised: [proxy.port], settings: SETTINGS })
    proxy.forwardTo(broker().port)
  }, CLUSTER_START_MS_MAX)
  afterEach(async () => {
    for (const bus of opened.splice(0)) await bus.close()
  })
  afterAll(async () => {
    await cluster.close()
    await proxy.close()
  })

  const broker = () => {
    const [only] = cluster.brokers
    if (only === undefined) throw new Error('there is no broker')
    return only
  }
  const newBus = () => {
    const bus = new KafkaBus({ brokers: [`127.0.0.1:${proxy.port}`], timer: systemTimer })
    opened.push(bus)
    return bus
  }
  const newTopic = (name = `svc-test-${randomUUID()}`) => newBus().open({ name, partitions: 1 })
  const send = (topic: BusTopic, value: string) => topic.deliver([recordOf('a', value)], never)
  const valuesOf = async (topic: BusTopic) => (await all(topic)).map(({ value }) => value)

  test.each([
    ['a request is lost', 'lose the request'],
    ['an answer is lost', 'lose the answer'],
    ['an answer comes when nobody waits for it', { holdAnswerMs: ANSWER_HELD_MS }],
  ] as const)('nothing is lost or out of order when %s', async (_, fault) => {
    const topic = await newTopic()
    await send(topic, '1')
    proxy.next(PRODUCE, fault)
    await send(topic, '2')
    await send(topic, '3')
    expect(await valuesOf(topic)).toEqual(['1', '2', '3'])
  })

  test('a delivery waits for a broker that was killed, and says so', async () => {
    const topic = await newTopic()
    await send(topic, '1')
    await broker().kill()
    const sent = send(topic, '2')
    await expect.poll(() => topic.trouble).not.toBeNull()
    await expect(topic.ends()).rejects.toThrow(BusAwayError)
    await delay(BROKER_DOWN_MS)
    await broker().start()
    await sent
    expect(topic.trouble).toBeNull()
    await send(topic, '3')
    expect(await valuesOf(topic)).toEqual(['1', '2', '3'])
  })

  test('a delivery waits for a broker that is frozen', async () => {
    const topic = await newTopic()
    await send(topic, '1')
    await broker().freeze()
    const sent = send(topic, '2')
    await delay(FROZEN_MS)
    await broker().thaw()
    await sent
    await send(topic, '3')
    expect(await valuesOf(topic)).toEqual(['1', '2', '3'])
  })

  test('who stops waiting for a frozen broker is let go at once', async () => {
    const topic = await newTopic()
    await send(topic, '1')
    const leave = new AbortController()
    await broker().freeze()
    const sent = topic.deliver([recordOf('a', '2')], leave.signal)
    await delay(FROZEN_MS)
    const reason = new Error('enough')
    leave.abort(reason)
    await expect(sent).rejects.toBe(reason)
    await broker().thaw()
    await send(topic, '2')
    await send(topic, '3')
    expect([...new Set(await valuesOf(topic))]).toEqual(['1', '2', '3'])
  })

  test('a topic that was made anew behind our back is told apart from one that is well', async () => {
    const name = `svc-test-${randomUUID()}`
    const topic = await newTopic(name)
    for (const value of ['1', '2', '3']) await send(topic, value)
    await asAdmin((admin) => admin.deleteTopics({ topics: [name] }))
    await newTopic(name)
    expect(await topic.ends()).toEqual([0n])
    await expect(send(topic, '4')).rejects.toThrow(BusRewoundError)
    await send(topic, '5')
    expect((await valuesOf(topic)).at(-1)).toBe('5')
  })

  test('a topic that is gone ends a delivery, and is made when it is opened again', async () => {
    const name = `svc-test-${randomUUID()}`
    const topic = await newTopic(name)
    await send(topic, '1')
    await asAdmin((admin) => admin.deleteTopics({ topics: [name] }))
    await expect(send(topic, '2')).rejects.toThrow(`there is no topic ${name} any more`)
    const again = await newTopic(name)
    await send(again, '3')
    expect(await valuesOf(again)).toEqual(['3'])
  })

  test.each([
    ['cleanup.policy', 'compact', 'compaction drops'],
    ['unclean.leader.election.enable', 'true', 'drops acknowledged records'],
    ['max.message.bytes', '100000', 'max.message.bytes must be 786432'],
  ])('a topic with %s=%s is refused, and nothing is changed', async (setting, value, words) => {
    const topic = `svc-test-${randomUUID()}`
    const configEntries = [{ name: setting, value }]
    const made = { topic, numPartitions: 1, replicationFactor: 1, configEntries }
    await asAdmin((admin) => admin.createTopics({ topics: [made], waitForLeaders: true }))
    await expect(newTopic(topic)).rejects.toThrow(words)
  })

  test('a topic that a power cut could empty is used, with a warning', async () => {
    const topic = `svc-test-${randomUUID()}`
    const made = { topic, numPartitions: 1, replicationFactor: 1 }
    await asAdmin((admin) => admin.createTopics({ topics: [made], waitForLeaders: true }))
    expect((await newTopic(topic)).warnings).toEqual([expect.stringContaining('flush.messages=1')])
    expect((await newTopic()).warnings).toEqual([])
  })

  test('a topic is made when all named brokers are there, and never with fewer replicas', async () => {
    const name = `svc-test-${randomUUID()}`
    // The one broker has two names, so that it looks like two of which one is dead.
    const brokers = ['127.0.0.1', 'localhost'].map((host) => `${host}:${proxy.port}`)
    const bus = new KafkaBus({ brokers, timer: systemTimer })
    opened.push(bus)
    const opening = bus.open({ name, partitions: 1 })
    await expect(opening).rejects.toThrow(BusAwayError)
    await expect(opening).rejects.toThrow('2 brokers are named and 1 are there')
    let topics: readonly string[] = []
    await asAdmin(async (admin) => {
      topics = await admin.listTopics()
    })
    expect(topics).not.toContain(name)
    await newTopic(name)
    await bus.open({ name, partitions: 1 })
  })

  test('a consumer that is closed while it joins its group leaves it', async () => {
    const topic = `svc-test-${randomUUID()}`
    await newTopic(topic)
    const [joined, left] = [proxy.count(JOIN_GROUP), proxy.count(LEAVE_GROUP)]
    proxy.next(JOIN_GROUP, { holdAnswerMs: JOIN_HELD_MS })
    const subscription = { topic, group: 'svc', take: async () => {}, onTrouble() {} }
    const consumer = newBus().consume(subscription)
    await expect.poll(() => proxy.count(JOIN_GROUP)).toBeGreaterThan(joined)
    await consumer.close()
    // The others of its group would wait until its session is over.
    await expect.poll(() => proxy.count(LEAVE_GROUP)).toBeGreaterThan(left)
  })

  test('a consumer waits for its partitions as long as its group does', async () => {
    const name = `svc-test-${randomUUID()}`
    const topic = await newTopic(name)
    await send(topic, 'taken')
    const [taken, troubles]: [string[], string[]] = [[], []]
    const joined = proxy.count(JOIN_GROUP)
    proxy.next(SYNC_GROUP, { holdAnswerMs: SYNC_HELD_MS })
    newBus().consume({
      topic: name,
      group: `svc-${name}`,
      take: async ({ value }) => void taken.push(value),
      onTrouble: (words) => void troubles.push(words),
    })
    await expect.poll(() => taken).toEqual(['taken'])
    expect(troubles).toEqual([])
    // Kafka has a newcomer ask twice: the first time it gets its name.
    expect(proxy.count(JOIN_GROUP)).toBeLessThanOrEqual(joined + 2)
  })

  test('what a topic drops while a consumer waits to take an earlier record is told', async () => {
    const name = `svc-test-${randomUUID()}`
    const topic = await newTopic(name)
    await send(topic, 'waits')
    const [taken, troubles]: [string[], string[]] = [[], []]
    let isAway = true
    const consumer = newBus().consume({
      topic: name,
      group: `svc-${name}`,
      async take({ value }) {
        if (isAway) throw new Error('the ledger is away')
        taken.push(value)
      },
      onTrouble: (words) => void troubles.push(words),
    })
    await expect.poll(() => troubles).toEqual(['the ledger is away'])
    for (const value of ['dropped', 'dropped', 'kept']) await send(topic, value)
    await asAdmin(async (admin) => {
      await admin.fetchTopicOffsets(name)
      await admin.deleteTopicRecords({ topic: name, partitions: [{ partition: 0, offset: '3' }] })
    })
    isAway = false
    await expect.poll(() => taken).toEqual(['waits', 'kept'])
    const skipped = '2 records of partition 0 from offset 1 on'
    expect(consumer.skipped).toBe(skipped)
    expect(troubles.at(-1)).toContain(skipped)
  })

  async function asAdmin(act: (admin: kafkajs.Admin) => Promise<unknown>): Promise<void> {
    const brokers = [`127.0.0.1:${proxy.port}`]
    const client = new kafkajs.Kafka({ brokers, logLevel: kafkajs.logLevel.NOTHING })
    const admin = client.admin()
    await admin.connect()
    await act(admin)
    await admin.disconnect()
  }
})
