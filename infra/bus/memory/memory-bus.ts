/** A bus in memory: for tests, and what the promises of the port look like without a network. */
import {
  type Bus,
  BusAwayError,
  type BusConsumer,
  type BusRecord,
  BusRewoundError,
  type BusTopic,
  type ReceivedRecord,
  type Subscription,
  type TopicPlan,
  UnsafeTopicError,
} from '@svc/contracts/ports/bus'
import type { Timer } from '@svc/contracts/ports/time'
import { untilAborted } from '@svc/contracts/ports/within'
import { systemTimer } from '../../system/system-timer.ts'
import { DeliveryGate } from '../delivery-gate.ts'
import { isPowerOfTwo, keyPartition } from '../key-partition.ts'
import { MemoryCluster } from './memory-cluster.ts'
import { MemoryConsumer } from './memory-consumer.ts'

export class MemoryBus implements Bus {
  readonly #cluster: MemoryCluster
  readonly #timer: Timer
  readonly #consumers: MemoryConsumer[] = []

  constructor(cluster: MemoryCluster = new MemoryCluster(), timer: Timer = systemTimer) {
    this.#cluster = cluster
    this.#timer = timer
  }

  consume(subscription: Subscription): BusConsumer {
    const consumer = new MemoryConsumer(this.#cluster, this.#timer, subscription)
    this.#consumers.push(consumer)
    return consumer
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
      this.#cluster.noteChange()
    }
    return new MemoryTopic(this.#cluster, name, partitions)
  }

  async close(): Promise<void> {
    await Promise.all(this.#consumers.splice(0).map((consumer) => consumer.close()))
  }
}

class MemoryTopic implements BusTopic {
  readonly warnings = []
  readonly acknowledged: bigint[]
  readonly #cluster: MemoryCluster
  readonly #name: string
  readonly #gate = new DeliveryGate()

  constructor(cluster: MemoryCluster, name: string, partitions: number) {
    this.#cluster = cluster
    this.#name = name
    this.acknowledged = Array.from({ length: partitions }, () => 0n)
  }

  get trouble(): string | null {
    return this.#gate.isDelivering && this.#cluster.isAway ? 'the bus is away' : null
  }

  deliver(records: readonly BusRecord[], signal: AbortSignal): Promise<void> {
    return this.#gate.pass(records, signal, async () => {
      await untilAborted(this.#cluster.untilBack(), signal)
      this.#refuseRewound()
      for (const record of records) this.#append(record)
      this.#cluster.noteChange()
    })
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

  async last(): Promise<readonly ReceivedRecord[]> {
    if (this.#cluster.isAway) throw new BusAwayError('the bus is away')
    return this.#partitions.flatMap((records, partition) => {
      const record = records.at(-1)
      return record === undefined
        ? []
        : [{ ...record, partition, offset: BigInt(records.length - 1) }]
    })
  }

  async close(): Promise<void> {}

  /** Refuses to send behind records that are lost: what is sent there would hide the loss. */
  #refuseRewound(): void {
    if (!this.#cluster.topics.has(this.#name)) {
      throw new BusRewoundError(`there is no topic ${this.#name} any more`)
    }
    for (const [partition, { length }] of this.#partitions.entries()) {
      if (length >= (this.acknowledged[partition] ?? 0n)) continue
      this.acknowledged[partition] = 0n
      throw new BusRewoundError(`partition ${partition} of ${this.#name} has lost records`)
    }
  }

  get #partitions(): BusRecord[][] {
    return this.#cluster.topics.get(this.#name) ?? []
  }

  #append(record: BusRecord): void {
    const partition = keyPartition(record.key, this.acknowledged.length)
    const records = this.#partitions[partition] ?? []
    records.push(record)
    this.acknowledged[partition] = BigInt(records.length)
  }
}
