/** What `svc doctor` says of the topics of a real Kafka. */
import { join } from 'node:path'
import { KafkaBus } from '@svc/infra/bus/kafka/kafka-bus'
import { systemTimer } from '@svc/infra/system/system-timer'
import { describeOnOwnKafka } from '@svc/testing/kafka/describe-on-kafka'
import { CLUSTER_START_MS_MAX, KafkaCluster } from '@svc/testing/kafka/kafka-cluster'
import { svc } from '@svc/testing/run-svc'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { afterAll, beforeAll, expect, test } from 'vitest'

describeOnOwnKafka('the doctor', () => {
  let cluster: KafkaCluster
  beforeAll(async () => {
    cluster = await KafkaCluster.start()
    const bus = new KafkaBus({ brokers: cluster.addresses, timer: systemTimer })
    await bus.open({ name: 'payments', partitions: 1 })
    await bus.open({ name: 'cards', partitions: 1 })
    await bus.open({ name: 'cards.dead', partitions: 2 })
    await bus.close()
  }, CLUSTER_START_MS_MAX)
  afterAll(() => cluster.close())

  /** @returns the lines behind that of the events' topic */
  async function linesFor(topUpsTopic: string): Promise<readonly string[]> {
    const environment = {
      SVC_PORT: '0',
      KAFKA_BROKERS: cluster.addresses.join(','),
      SVC_KAFKA_TOPUPS_TOPIC: topUpsTopic,
    }
    const { out } = await svc(['--data-dir', join(temporaryFolder(), 'data'), 'doctor'], {
      environment,
    })
    const lines = out.trim().split('\n')
    const events = lines.findIndex((line) => line.includes('Kafka: '))
    expect(lines[events]).toMatch(/^ok {7}Kafka: 1 broker, topic svc\.ledger/)
    return lines.slice(events + 1)
  }

  test('finds the topic of top-ups and that of its dead letters well', async () => {
    expect(await linesFor('payments')).toEqual([
      'ok       top-ups: topic payments, group svc-topups',
      expect.stringMatching(/^ok {7}dead letters: topic payments\.dead: svc makes it/),
    ])
  })

  test('finds a topic of top-ups that is missing', async () => {
    const [topUps] = await linesFor('paymens')
    expect(topUps).toMatch(/^PROBLEM {2}top-ups: there is no topic paymens: make it/)
  })

  test('finds a topic of dead letters that takes none', async () => {
    const [topUps, deadLetters] = await linesFor('cards')
    expect(topUps).toMatch(/^ok /)
    expect(deadLetters).toMatch(/^PROBLEM {2}dead letters: topic cards\.dead: it has 2 partitions/)
  })
})
