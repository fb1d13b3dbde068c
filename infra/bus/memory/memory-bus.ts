/** A bus in memory: for tests, and what the promises of the port look like without a network. */
import {
  type Bus,
  BusAwayError,
  type BusRecord,
  type BusTopic,
  checkDelivery,
  type ReceivedRecord,
  type TopicPlan,
  UnsafeTopicError,
} from '@svc/contracts/ports/bus'
import { isPowerOfTwo, keyPartition } from '../key-partition.ts'

type Partitions = BusRecord[][]

/** What several buses in one process share, as several clients share one cluster. */
export class MemoryCluster {
  readonly topics = new Map<string, Partitions>()
  #back = Promise.withResolvers<void>()
  #isAway = false

  get isAway(): boolean {
    return this.#isAway
  }

  /** Nothing is answered until {@link MemoryCluster.comeBack}. */
  goAway(): void {
    this.#isAway = true
    this.#back = Promise.withResolvers()
  }

  comeBack(): void {
    this.#isAway = false
    this.#back.resolve()
  }

  /** Forgets the last records of a partition, as a cluster without a durable leader does. */
  lose(topic: string, partition: number, count: number): void {
    const records = this.topics.get(topic)?.[partition] ?? []
    records.splice(records.length - count, count)
  }

  untilBack(): Promise<void> {
    return this.#isAway ? this.#back.promise : Promise.resolve()
  }
}

export class MemoryBus implements Bus {
  readonly #cluster: MemoryCluster

  constructor(cluster: MemoryCluster = new MemoryCluster()) {
    this.#cluster = cluster
  }

  async open({ name, partitions }: TopicPlan): Promise<BusTopic> {
    if (this.#cluster.isAway) throw new BusAwayError('the bus is away')
    if (!isPowerOfTwo(partitions)) {
      throw new UnsafeTopicError(name, [`${partitions} partitions are no power of two`])
    }
    const known = this.#cluster.topics.get(name)
    if (known !== undefined && known.length !== partitions) {
      throw new UnsafeTopicError(name, [`it has ${known.length} partitions and not ${partitions}`])
    }
    if (known === undefined) {
      const empty = Array.from({ length: partitions }, () => [])
      this.#cluster.topics.set(name, empty)
    }
    return new MemoryTopic(this.#cluster, name, partitions)
  }

  async close(): Promise<void> {}
}

class MemoryTopic implements BusTopic {
  readonly warnings = []
  readonly acknowledged: bigint[]
  readonly #cluster: MemoryCluster
  readonly #name: string
  #isDelivering = false

  constructor(cluster: MemoryCluster, name: string, partitions: number) {
    this.#cluster = cluster
    this.#name = name
    this.acknowledged = Array.from({ length: partitions }, () => 0n)
  }

  get trouble(): string | null {
    return this.#isDelivering && this.#cluster.isAway ? 'the bus is away' : null
  }

  async deliver(records: readonly BusRecord[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    checkDelivery(records)
    if (this.#isDelivering) throw new RangeError('another delivery is under way')
    this.#isDelivering = true
    const { promise: aborted, reject } = Promise.withResolvers<never>()
    const abort = (): void => reject(signal.reason)
    signal.addEventListener('abort', abort)
    try {
      await Promise.race([this.#cluster.untilBack(), aborted])
      for (const record of records) this.#append(record)
    } finally {
      signal.removeEventListener('abort', abort)
      this.#isDelivering = false
    }
  }

  async ends(): Promise<readonly bigint[]> {
    if (this.#cluster.isAway) throw new BusAwayError('the bus is away')
    return this.#partitions.map(({ length }) => BigInt(length))
  }

  async read(take: (records: readonly ReceivedRecord[]) => void): Promise<void> {
    if (this.#cluster.isAway) throw new BusAwayError('the bus is away')
    this.#partitions.forEach((records, partition) => {
      take(records.map((record, at) => ({ ...record, partition, offset: BigInt(at) })))
    })
  }

  async close(): Promise<void> {}

  get #partitions(): Partitions {
    return this.#cluster.topics.get(this.#name) ?? []
  }

  #append(record: BusRecord): void {
    const partition = keyPartition(record.key, this.acknowledged.length)
    const records = this.#partitions[partition] ?? []
    records.push(record)
    this.acknowledged[partition] = BigInt(records.length)
  }
}
