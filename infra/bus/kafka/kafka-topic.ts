/**
 * A topic of Kafka, as kafkajs can serve it. The rules, each measured (decision 0042):
 *
 * 1. One delivery at a time: the next is handed over only when this one is acknowledged.
 * 2. One `send()` per partition: kafkajs 2.2.4 resolves a send over several partitions although
 *    those of a broker that died were never written.
 * 3. The answer must name the partition, and an offset behind all that was acknowledged before: a
 *    broker that takes a new batch for the repetition of an old one acknowledges it with the old
 *    offset, and drops it.
 * 4. A send that fails is of unknown outcome. It is repeated as it is, at first with the same
 *    idempotent producer (which makes no doubles), then with a new one (which may).
 * 5. A producer that has an unknown batch sends nothing else: it would use its sequence numbers
 *    twice.
 * 6. The time of a record is the time of sending: with the time of an old event, retention would
 *    delete the record within seconds.
 */
import { Backoff } from '@svc/contracts/ports/backoff'
import {
  type BusRecord,
  BusRewoundError,
  type BusTopic,
  inDeliveries,
  type ReceivedRecord,
  type TopicPlan,
} from '@svc/contracts/ports/bus'
import type { Timer } from '@svc/contracts/ports/time'
import { untilAborted } from '@svc/contracts/ports/within'
import kafkajs, { type Admin, type Kafka, type Producer } from 'kafkajs'
import { DeliveryGate } from '../delivery-gate.ts'
import { keyPartition } from '../key-partition.ts'
import { closed, failureOf, isPermanent, kafkaReason, typeOf } from './kafka-failure.ts'
import { type PartitionOffsets, readLastRecords, readTopic } from './topic-reader.ts'

/** What one batch to a partition may hold. Brokers take a little more and refuse what is beyond. */
const BATCH_BOUNDS = { records: 500, bytes: 576 * 1024 }
/** After this many failures in a row the producer is replaced. */
const FAILURES_PER_PRODUCER = 5
const PAUSES = { firstMs: 200, longestMs: 5_000 }
/** A new leader is found within this time. */
const METADATA_AGE_MS = 1_000
const ALL_REPLICAS = -1

/** The producer's numbers are of no use any more. */
const NUMBERS_LOST = new Set(['OUT_OF_ORDER_SEQUENCE_NUMBER', 'UNKNOWN_PRODUCER_ID'])

/** What is not acknowledged yet: the batches of each partition. The first of them is sent next. */
type OpenBatches = Map<number, readonly (readonly BusRecord[])[]>

export interface TopicClients {
  /** Retries nothing by itself. */
  readonly client: Kafka
  /** Retries while a cluster finds its bearings. */
  readonly readingClient: Kafka
  readonly timer: Timer
}

export class KafkaTopic implements BusTopic {
  readonly warnings: readonly string[]
  readonly acknowledged: bigint[]
  readonly #client: Kafka
  readonly #readingClient: Kafka
  readonly #timer: Timer
  readonly #name: string
  readonly #backoff: Backoff
  readonly #gate = new DeliveryGate()
  #producer: Producer | undefined
  #admin: Admin | undefined
  #trouble: string | null = null
  /** Answers in a row that named an offset from before. */
  #oldOffsets = 0

  constructor(
    { client, readingClient, timer }: TopicClients,
    plan: TopicPlan,
    warnings: readonly string[],
  ) {
    this.#client = client
    this.#readingClient = readingClient
    this.#timer = timer
    this.#name = plan.name
    this.warnings = warnings
    this.acknowledged = Array.from({ length: plan.partitions }, () => 0n)
    this.#backoff = new Backoff(timer, PAUSES)
  }

  get trouble(): string | null {
    return this.#trouble
  }

  deliver(records: readonly BusRecord[], signal: AbortSignal): Promise<void> {
    return this.#gate.pass(records, signal, async () => {
      try {
        await untilAborted(this.#deliverAll(this.#batchesOf(records), signal), signal)
      } catch (error) {
        // kafkajs cannot cancel a send: who stops waiting has to throw the producer away.
        this.#discardProducer()
        throw error
      } finally {
        this.#trouble = null
      }
    })
  }

  async ends(): Promise<readonly bigint[]> {
    return (await this.#offsets()).map(({ high }) => high)
  }

  async read(take: (records: readonly ReceivedRecord[]) => void, signal: AbortSignal) {
    const offsets = await this.#offsets()
    const [client, timer, topic] = [this.#readingClient, this.#timer, this.#name]
    await readTopic({ client, timer, topic, offsets, take, signal })
  }

  async last(signal: AbortSignal): Promise<readonly ReceivedRecord[]> {
    const offsets = await this.#offsets()
    const [client, timer, topic] = [this.#readingClient, this.#timer, this.#name]
    return readLastRecords({ client, timer, topic, offsets, signal })
  }

  async close(): Promise<void> {
    const [producer, admin] = [this.#producer, this.#admin]
    this.#producer = undefined
    this.#admin = undefined
    await Promise.all([producer && closed(producer), admin && closed(admin)])
  }

  async #deliverAll(open: OpenBatches, signal: AbortSignal): Promise<void> {
    while (open.size > 0) {
      signal.throwIfAborted()
      try {
        const producer = this.#producer ?? (await this.#connectProducer())
        // Another delivery may have its own by now.
        if (signal.aborted) return void closed(producer)
        this.#producer = producer
        await this.#sendAll(producer, open)
        this.#backoff.reset()
        this.#oldOffsets = 0
        this.#trouble = null
      } catch (error) {
        if (signal.aborted) return
        this.#noteFailure(error)
        await this.#backoff.pause(signal)
      }
    }
  }

  /** Sends the first batch of each partition, and removes from `open` what is acknowledged. */
  async #sendAll(producer: Producer, open: OpenBatches): Promise<void> {
    const sends = [...open].map(async ([partition, [records = [], ...later]]) => {
      const messages = records.map(({ key, value, bytes, headers }) => {
        return { key, value: bytes ?? value, headers, partition }
      })
      const answer = await producer.send({ topic: this.#name, acks: ALL_REPLICAS, messages })
      const [only] = answer
      if (answer.length !== 1 || only?.partition !== partition || only.errorCode !== 0) {
        throw new Error(`partition ${partition} was not acknowledged`)
      }
      const first = BigInt(only.baseOffset ?? -1)
      if (first < (this.acknowledged[partition] ?? 0n)) throw new OldOffsetError(partition, first)
      this.acknowledged[partition] = first + BigInt(records.length)
      if (later.length === 0) open.delete(partition)
      else open.set(partition, later)
    })
    const results = await Promise.allSettled(sends)
    const failed = results.find((result) => result.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }

  /** @throws what no repetition mends */
  #noteFailure(error: unknown): void {
    const type = typeOf(error)
    if (isPermanent(type)) throw failureOf(error)
    this.#trouble = kafkaReason(error)
    if (error instanceof OldOffsetError) {
      this.#oldOffsets += 1
      this.#discardProducer()
      // A new producer has no numbers that a broker could take for old ones: the topic is shorter.
      if (this.#oldOffsets < 2) return
      this.#oldOffsets = 0
      this.acknowledged[error.partition] = 0n
      throw new BusRewoundError(`partition ${error.partition} of ${this.#name} has lost records`)
    }
    const isWorn = (this.#backoff.pauses + 1) % FAILURES_PER_PRODUCER === 0
    // A broker that has just started says the same for a moment.
    if (isWorn && type === 'UNKNOWN_TOPIC_OR_PARTITION') {
      throw new BusRewoundError(`there is no topic ${this.#name} any more`)
    }
    if (isWorn || NUMBERS_LOST.has(type)) this.#discardProducer()
  }

  async #connectProducer(): Promise<Producer> {
    const producer = this.#client.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      metadataMaxAge: METADATA_AGE_MS,
      createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
      retry: { retries: 1, initialRetryTime: 100, maxRetryTime: 500 },
    })
    await producer.connect()
    return producer
  }

  /** This is not awaited, because it waits for the answers of a frozen broker. */
  #discardProducer(): void {
    if (this.#producer !== undefined) void closed(this.#producer)
    this.#producer = undefined
  }

  #batchesOf(records: readonly BusRecord[]): OpenBatches {
    const partitions = Map.groupBy(records, ({ key }) => {
      return keyPartition(key, this.acknowledged.length)
    })
    return new Map(
      [...partitions].map(([partition, some]) => [
        partition,
        [...inDeliveries(some, BATCH_BOUNDS)],
      ]),
    )
  }

  /**
   * Asks for the offsets and sorts them by partition, because Kafka's answer has no order.
   * @throws {BusAwayError}
   */
  async #offsets(): Promise<readonly PartitionOffsets[]> {
    try {
      if (this.#admin === undefined) {
        this.#admin = this.#client.admin()
        await this.#admin.connect()
      }
      const found = await this.#admin.fetchTopicOffsets(this.#name)
      const offsets = found.map(({ partition, low, high }) => {
        return { partition, low: BigInt(low), high: BigInt(high) }
      })
      if (offsets.length !== this.acknowledged.length) throw new Error('partitions are missing')
      return offsets.toSorted((one, other) => one.partition - other.partition)
    } catch (error) {
      if (this.#admin !== undefined) void closed(this.#admin)
      this.#admin = undefined
      throw failureOf(error)
    }
  }
}

/** An acknowledgement that names an offset from before what was acknowledged already. */
class OldOffsetError extends Error {
  readonly partition: number

  constructor(partition: number, offset: bigint) {
    super(`partition ${partition} was acknowledged at the old offset ${offset}`)
    this.partition = partition
  }
}
