/** A topic of somebody else on the same cluster, of which a partition has no leader. */
import { describeOnOwnKafka } from '@svc/testing/kafka/describe-on-kafka'
import { CLUSTER_START_MS_MAX, KafkaCluster } from '@svc/testing/kafka/kafka-cluster'
import kafkajs from 'kafkajs'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { systemTimer } from '../../system/system-timer.ts'
import { recordOf } from '../bus.suite.ts'
import { clientConfig, KafkaBus } from './kafka-bus.ts'

const SOON = { timeout: 60_000, interval: 100 }
const TEST_MS_MAX = 120_000
const never = new AbortController().signal

describeOnOwnKafka('a cluster with a topic that has no leader', () => {
  let cluster: KafkaCluster
  beforeAll(async () => {
    cluster = await KafkaCluster.start({ brokers: 3 })
  }, CLUSTER_START_MS_MAX)
  afterAll(() => cluster.close())

  test('lets a consumer start on its own topic', { timeout: TEST_MS_MAX }, async () => {
    const brokers = cluster.addresses
    const bus = new KafkaBus({ brokers, timer: systemTimer })
    onTestFinished(() => bus.close())
    const plan = { name: 'payments', partitions: 2 }
    // A broker learns of a new topic a moment later than the one that makes it.
    const opening = () => bus.open(plan).catch(() => undefined)
    await expect.poll(opening, SOON).toBeDefined()
    await (await bus.open(plan)).deliver([recordOf('a', 'one')], never)
    const admin = new kafkajs.Kafka(clientConfig({ brokers })).admin()
    await admin.connect()
    onTestFinished(() => admin.disconnect())
    const replicaAssignment = [{ partition: 0, replicas: [3] }]
    await admin.createTopics({ topics: [{ topic: 'others', replicaAssignment }] })
    await cluster.brokers[2]?.kill()
    const leaderless = () => admin.fetchTopicMetadata({ topics: ['others'] })
    await expect.poll(() => leaderless().then(String, String), SOON).toMatch(/no leader/)

    const values: string[] = []
    const said: string[] = []
    bus.consume({
      topic: 'payments',
      group: 'svc-topups',
      take: async ({ value }) => void values.push(value),
      onTrouble: (problem) => void said.push(problem),
    })
    await expect.poll(() => values, SOON).toEqual(['one'])
    expect(said.join()).not.toContain('LEADER_NOT_AVAILABLE')
    const nowhere = bus.consume({
      topic: 'nowhere',
      group: 'svc-topups-2',
      take: async () => {},
      onTrouble: () => {},
    })
    await expect.poll(() => nowhere.trouble, SOON).toBe('there is no topic nowhere')
  })
})
