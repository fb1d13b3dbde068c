/** A topic of somebody else on the same cluster, of which a partition has no leader. */
import { eventually } from '@svc/testing/eventually'
import { describeOnOwnKafka } from '@svc/testing/kafka/describe-on-kafka'
import { CLUSTER_START_MS_MAX, KafkaCluster } from '@svc/testing/kafka/kafka-cluster'
import kafkajs from 'kafkajs'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { systemTimer } from '../../system/system-timer.ts'
import { all, recordOf } from '../bus.suite.ts'
import { clientConfig, KafkaBus } from './kafka-bus.ts'
import { lookAtTopic } from './look-at-topic.ts'

const TEST_MS_MAX = 120_000
const never = new AbortController().signal

describeOnOwnKafka('a cluster with a topic that has no leader', () => {
  let cluster: KafkaCluster
  const plan = { name: 'payments', partitions: 2 }
  const newBus = (brokers = cluster.addresses) => {
    const bus = new KafkaBus({ brokers, timer: systemTimer })
    onTestFinished(() => bus.close())
    return bus
  }
  beforeAll(async () => {
    cluster = await KafkaCluster.start({ brokers: 3 })
    const brokers = cluster.addresses
    const bus = new KafkaBus({ brokers, timer: systemTimer })
    // A broker learns of a new topic a moment later than the one that makes it.
    const topic = await eventually(() => bus.open(plan))
    await topic.deliver([recordOf('a', 'one')], never)
    await bus.close()
    const admin = new kafkajs.Kafka(clientConfig({ brokers })).admin()
    await admin.connect()
    const replicaAssignment = [{ partition: 0, replicas: [3] }]
    await admin.createTopics({ topics: [{ topic: 'others', replicaAssignment }] })
    await cluster.brokers[2]?.kill()
    const leaderless = () => admin.fetchTopicMetadata({ topics: ['others'] })
    await eventually(() => expect(leaderless()).rejects.toThrow(/no leader/))
    await admin.disconnect()
  }, CLUSTER_START_MS_MAX)
  afterAll(() => cluster.close())

  test('lets a feed start, on its own topic and on a new one', {
    timeout: TEST_MS_MAX,
  }, async () => {
    const alive = cluster.addresses.slice(0, 2)
    const seen = await lookAtTopic({ brokers: alive, plan })
    expect(seen).toMatchObject({ brokerCount: 2, isThere: true, problems: [] })
    const topic = await newBus(alive).open(plan)
    await topic.deliver([recordOf('b', 'two')], never)
    expect((await all(topic)).map(({ value }) => value).toSorted()).toEqual(['one', 'two'])
    const made = { name: 'payments.dead', partitions: 1 }
    const opening = () => newBus(alive).open(made)
    await expect.poll(() => opening().then(() => 'made', String)).toBe('made')
  })

  test('lets a consumer start on its own topic', { timeout: TEST_MS_MAX }, async () => {
    const bus = newBus()
    const values: string[] = []
    const said: string[] = []
    bus.consume({
      topic: 'payments',
      group: 'svc-topups',
      take: async ({ value }) => void values.push(value),
      onTrouble: (problem) => void said.push(problem),
    })
    await expect.poll(() => values).toContain('one')
    expect(said.join()).not.toContain('LEADER_NOT_AVAILABLE')
    const nowhere = bus.consume({
      topic: 'nowhere',
      group: 'svc-topups-2',
      take: async () => {},
      onTrouble: () => {},
    })
    await expect.poll(() => nowhere.trouble).toContain('there is no topic nowhere')
  })
})
