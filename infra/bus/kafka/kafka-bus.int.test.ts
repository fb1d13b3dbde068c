import { randomUUID } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { describeOnKafka } from '@svc/testing/kafka/describe-on-kafka'
import { CLUSTER_START_MS_MAX, KafkaCluster } from '@svc/testing/kafka/kafka-cluster'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemTimer } from '../../system/system-timer.ts'
import { describeBus } from '../bus.suite.ts'
import { KafkaBus } from './kafka-bus.ts'

/** More than most machines have cores. */
const BUSY_THREADS = 8
/** Brokers are not late with the leaders of each. */
const NEW_TOPICS = 8

describeOnKafka('a real Kafka', () => {
  let own: KafkaCluster | undefined
  let brokers: readonly string[] = []
  beforeAll(async () => {
    const given = process.env.KAFKA_BROKERS
    own = given ? undefined : await KafkaCluster.start()
    brokers = given?.split(',') ?? own?.addresses ?? []
  }, CLUSTER_START_MS_MAX)
  afterAll(() => own?.close())

  describeBus('Kafka', () => new KafkaBus({ brokers, timer: systemTimer }))

  test('a new topic can be used at once, also on a busy machine', async () => {
    const busy = Array.from({ length: BUSY_THREADS }, () => new Worker('for(;;);', { eval: true }))
    const bus = new KafkaBus({ brokers, timer: systemTimer })
    try {
      for (let made = 0; made < NEW_TOPICS; made += 1) {
        const topic = await bus.open({ name: `svc-test-${randomUUID()}`, partitions: 8 })
        expect(await topic.ends()).toHaveLength(8)
      }
    } finally {
      await Promise.all([bus.close(), ...busy.map((thread) => thread.terminate())])
    }
  })
})
