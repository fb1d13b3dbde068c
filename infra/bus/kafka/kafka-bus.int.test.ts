import { describeOnKafka } from '@svc/testing/kafka/describe-on-kafka'
import { CLUSTER_START_MS_MAX, KafkaCluster } from '@svc/testing/kafka/kafka-cluster'
import { afterAll, beforeAll } from 'vitest'
import { systemTimer } from '../../system/system-timer.ts'
import { describeBus } from '../bus.suite.ts'
import { KafkaBus } from './kafka-bus.ts'

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
})
