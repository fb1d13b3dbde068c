/**
 * For tests and benches: real Kafka brokers on the loopback, in KRaft mode: Maven brings the jars
 * and `java` runs them, or they are containers (see `kafka-place.ts`). A broker keeps its ports and
 * its data over a kill, so that it comes back with what it had.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { freePorts } from '../free-port.ts'
import { makeTemporaryFolder } from '../temporary-folder.ts'
import { BrokerContainer } from './broker-container.ts'
import { BrokerProcess } from './broker-process.ts'
import { type BrokerRun, type BrokerSettings, KafkaBroker } from './kafka-broker.ts'
import { readClasspath } from './kafka-jars.ts'
import { kafkaImage } from './kafka-place.ts'

/** For whoever awaits a start: it ends by itself before, and says what the broker has printed. */
export const CLUSTER_START_MS_MAX = 300_000

export interface KafkaClusterOptions {
  /** 1 by default. From 3 on: replication factor 3 and `min.insync.replicas` 2. */
  readonly brokers?: number
  /** Written over ours into `server.properties`. */
  readonly settings?: Readonly<Record<string, string>>
  /** That each broker tells its clients to use, such as of a proxy. Its own by default. */
  readonly advertised?: readonly number[]
}

export class KafkaCluster {
  readonly brokers: readonly KafkaBroker[]
  readonly #folder = makeTemporaryFolder()
  readonly #endWithUs = (): void => {
    for (const broker of this.brokers) broker.endAtOnce()
    this.#folder.remove()
  }

  private constructor(ports: readonly number[], options: KafkaClusterOptions) {
    const count = ports.length / 2
    const voters = ports.slice(count).map((port, at) => `${at + 1}@127.0.0.1:${port}`)
    this.brokers = ports.slice(0, count).map((port, at) => {
      const listeners = `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${ports[count + at]}`
      const config = {
        ...sharedSettings(count),
        'node.id': String(at + 1),
        'controller.quorum.voters': voters.join(','),
        listeners,
        'advertised.listeners': `PLAINTEXT://127.0.0.1:${options.advertised?.[at] ?? port}`,
        ...options.settings,
      }
      return new KafkaBroker(port, this.#runOf(at + 1, config))
    })
    process.once('exit', this.#endWithUs)
  }

  static async start(options: KafkaClusterOptions = {}): Promise<KafkaCluster> {
    const cluster = new KafkaCluster(await freePorts((options.brokers ?? 1) * 2), options)
    try {
      await Promise.all(cluster.brokers.map((broker) => broker.start()))
      await cluster.untilComplete()
    } catch (error) {
      await cluster.close()
      throw error
    }
    return cluster
  }

  /** `host:port` of each broker. */
  get addresses(): readonly string[] {
    return this.brokers.map(({ address }) => address)
  }

  /** Every broker knows of every broker. */
  async untilComplete(): Promise<void> {
    await Promise.all(this.brokers.map((broker) => broker.untilItKnows(this.brokers.length)))
  }

  async close(): Promise<void> {
    await Promise.all(this.brokers.map((broker) => broker.kill()))
    await Promise.all(this.brokers.map((broker) => broker.wipe()))
    process.removeListener('exit', this.#endWithUs)
    this.#folder.remove()
  }

  #runOf(id: number, settings: BrokerSettings): BrokerRun {
    const image = kafkaImage()
    if (image !== undefined) return new BrokerContainer(image, settings)
    const folder = join(this.#folder.path, `broker-${id}`)
    mkdirSync(folder)
    return new BrokerProcess(folder, settings, readClasspath())
  }
}

function sharedSettings(count: number): Record<string, string> {
  const copies = String(Math.min(count, 3))
  const inSync = count >= 3 ? '2' : '1'
  return {
    'process.roles': 'broker,controller',
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
    'default.replication.factor': copies,
    'min.insync.replicas': inSync,
    'num.partitions': '1',
    'auto.create.topics.enable': 'false',
    'offsets.topic.replication.factor': copies,
    'offsets.topic.num.partitions': '4',
    'transaction.state.log.replication.factor': copies,
    'transaction.state.log.min.isr': inSync,
    'transaction.state.log.num.partitions': '4',
    'share.coordinator.state.topic.replication.factor': copies,
    'share.coordinator.state.topic.min.isr': inSync,
    // A test does not want to wait 3 s for further members of a group.
    'group.initial.rebalance.delay.ms': '0',
    // Else a member that was killed keeps its partitions for at least 6 s.
    'group.min.session.timeout.ms': '1000',
    // A killed broker may come back when its session is over: 9 s by default.
    'broker.session.timeout.ms': '1500',
    'broker.heartbeat.interval.ms': '300',
    // 128 MiB of the heap by default.
    'log.cleaner.dedupe.buffer.size': '8388608',
  }
}
