/**
 * Takes the records of a topic of Kafka, beside other consumers of its group. The rules, each
 * measured (decision 0050):
 *
 * 1. The offset is committed after the record was taken, and the commit belongs to the batch: the
 *    consumer's own `commitOffsets` makes a group that has moved on into an error that ends it.
 * 2. What `take` throws never leaves the handler: at a SyntaxError, TypeError or RangeError kafkajs
 *    stops for ever, in silence. Here the record is tried again, with a sign of life to the group
 *    between two tries.
 * 3. Every crash is answered by a new consumer, whatever kafkajs says about restarting.
 * 4. A group without an offset begins at the first record: at the end it would skip what waits.
 * 5. A consumer is disconnected when it has joined its group, never while it joins.
 * 6. It waits longer for an answer of its group than the group for one of its members. Who gives up
 *    earlier, while a leader is slow or silent, stays in the group as a member that nobody is, and
 *    joins as another: every member begins anew, and on a slow machine that has no end.
 * 7. Who looks back at what the group has taken does so before it joins: a member that takes
 *    nothing keeps its partitions from the others.
 * 8. Whether records were dropped is looked for wherever a batch does not begin where the one
 *    before it ended: kafkajs goes on at the first record that is left, in silence.
 */
import { Backoff } from '@svc/contracts/ports/backoff'
import type { BusConsumer, ReceivedRecord, Subscription } from '@svc/contracts/ports/bus'
import type { Timer } from '@svc/contracts/ports/time'
import { untilAborted, within } from '@svc/contracts/ports/within'
import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs'
import { checkedGroup, droppedFrom, type GroupPlace } from './group-offsets.ts'
import { closed, kafkaReason } from './kafka-failure.ts'
import { missingOfTaken } from './look-back.ts'
import { receivedRecord } from './received-record.ts'

/**
 * How many records the group takes between two commits. At most as many of each partition come
 * again after a crash.
 */
const COMMIT_EVERY_RECORDS = 20
/** A consumer that is silent for this long loses its partitions to the others. */
const SESSION_MS = 10_000
/** The longest request of a consumer, and so the wait of a fetch for a broker that is frozen. */
export const GROUP_REQUEST_TIMEOUT_MS = SESSION_MS + 2_000
/** A fetch that gave a broker up finds the new leader of a partition. */
const METADATA_AGE_MS = 1_000
const HEARTBEAT_MS = 1_000
/** A fetch waits for records, and a consumer that is closed for its fetch. */
const FETCH_WAIT_MS = 500
const CLOSE_WITHIN_MS = 900
const NEW_CONSUMER_PAUSES = { firstMs: 300, longestMs: 2_000 }
/** The longest is well below the session. */
const TAKE_PAUSES = { firstMs: 200, longestMs: 2_000 }

export interface ConsumerClients {
  readonly readingClient: Kafka
  /** Waits for {@link GROUP_REQUEST_TIMEOUT_MS}. */
  readonly groupClient: Kafka
  readonly timer: Timer
}

export class KafkaConsumer implements BusConsumer {
  readonly #client: Kafka
  readonly #groupClient: Kafka
  readonly #timer: Timer
  readonly #subscription: Subscription
  readonly #closing = new AbortController()
  readonly #running: Promise<void>
  readonly #consumerBackoff: Backoff
  readonly #takeBackoff: Backoff
  /** For each partition of ours, how many records were there that are not taken. */
  readonly #waiting = new Map<number, bigint>()
  /** Whether Kafka has answered this consumer what there is to read. */
  #isReading = false
  /** The first record of each partition that is not taken, as far as this member knows. */
  #next = new Map<number, bigint>()
  /** The partitions of this member; undefined before it was given any. */
  #ours: readonly number[] | undefined
  /** Whether what the group has taken was found. */
  #isTakenThere = false
  #groupTrouble: string | null = null
  #takeTrouble: string | null = null
  #skipped: string | null = null
  #told = ''

  constructor(clients: ConsumerClients, subscription: Subscription) {
    const { readingClient, groupClient, timer } = clients
    this.#client = readingClient
    this.#groupClient = groupClient
    this.#timer = timer
    this.#subscription = subscription
    this.#consumerBackoff = new Backoff(timer, NEW_CONSUMER_PAUSES)
    this.#takeBackoff = new Backoff(timer, TAKE_PAUSES)
    this.#running = this.#run()
  }

  get trouble(): string | null {
    return this.#takeTrouble ?? this.#groupTrouble
  }

  get skipped(): string | null {
    return this.#skipped
  }

  get waiting(): bigint | null {
    if (!this.#isReading) return null
    return this.#waiting.values().reduce((sum, waiting) => sum + waiting, 0n)
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the consumer is closed'))
    await within(this.#timer, CLOSE_WITHIN_MS, this.#running, undefined)
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      try {
        const place = await untilAborted(this.#place(), signal)
        this.#noteSkipped(place.skipped)
        if (!this.#isTakenThere) {
          const missing = await untilAborted(this.#missing(place.taken), signal)
          if (missing !== null) throw new Error(missing)
          this.#isTakenThere = true
        }
        this.#next = new Map(place.next)
        await this.#listen(signal)
      } catch (error) {
        if (signal.aborted) return
        this.#groupTrouble = kafkaReason(error)
        this.#tell(this.#groupTrouble)
        await this.#consumerBackoff.pause(signal)
      }
    }
  }

  /** Takes records until the consumer crashes or is closed. @throws why it crashed */
  async #listen(signal: AbortSignal): Promise<never> {
    const { topic, group: groupId } = this.#subscription
    const consumer = this.#groupClient.consumer({
      groupId,
      sessionTimeout: SESSION_MS,
      rebalanceTimeout: SESSION_MS,
      heartbeatInterval: HEARTBEAT_MS,
      maxWaitTimeInMs: FETCH_WAIT_MS,
      metadataMaxAge: METADATA_AGE_MS,
      allowAutoTopicCreation: false,
      retry: { retries: 3, maxRetryTime: 1_000, restartOnFailure: async () => false },
    })
    const crashed = this.#watched(consumer)
    const starting = (async () => {
      await consumer.connect()
      await consumer.subscribe({ topics: [topic], fromBeginning: true })
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        eachBatch: (batch) => this.#takeBatch(batch),
      })
    })()
    try {
      await untilAborted(starting, signal)
      return await untilAborted(crashed, signal)
    } finally {
      this.#isReading = false
      this.#waiting.clear()
      // While it joins its group there is nothing that kafkajs would stop: it would stay a member,
      // for which the others wait until its session is over.
      const leaving = starting.catch(() => {}).then(() => closed(consumer))
      await within(this.#timer, CLOSE_WITHIN_MS, leaving, undefined)
    }
  }

  /** @returns a promise that rejects when kafkajs gives this consumer up */
  #watched(consumer: Consumer): Promise<never> {
    const { promise, reject } = Promise.withResolvers<never>()
    promise.catch(() => {})
    consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error))
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      this.#waiting.clear()
      const ours = payload.memberAssignment[this.#subscription.topic] ?? []
      this.#forgetOthers(ours)
      const before = this.#ours ?? ours
      this.#ours = ours
      void this.#lookAtGained(
        ours.filter((partition) => !before.includes(partition)),
        reject,
      )
    })
    // A consumer that was let into its group may still be unable to read what there is.
    consumer.on(consumer.events.FETCH, () => {
      this.#isReading = true
      this.#groupTrouble = null
      this.#consumerBackoff.reset()
    })
    return promise
  }

  async #takeBatch({ batch, ...control }: EachBatchPayload): Promise<void> {
    const { topic, partition, messages } = batch
    const end = BigInt(batch.highWatermark)
    let next = BigInt(messages[0]?.offset ?? end)
    let uncommitted = 0
    const commit = async (): Promise<void> => {
      const partitions = [{ partition, offset: `${next}` }]
      await control.commitOffsetsIfNecessary({ topics: [{ topic, partitions }] })
      uncommitted = 0
    }
    await this.#lookForGap(partition, next)
    this.#waiting.set(partition, end - next)
    for (const message of messages) {
      if (control.isStale()) break
      if (!(await this.#isTaken(receivedRecord(partition, message), control))) break
      control.resolveOffset(message.offset)
      next = BigInt(message.offset) + 1n
      this.#next.set(partition, next)
      this.#waiting.set(partition, end - next)
      uncommitted += 1
      if (uncommitted === COMMIT_EVERY_RECORDS) await commit()
      await control.heartbeat()
    }
    if (uncommitted > 0) await commit()
  }

  /** @returns false when nobody waits for it any more; what kafkajs throws is for kafkajs */
  async #isTaken(
    record: ReceivedRecord,
    { heartbeat, isRunning }: Pick<EachBatchPayload, 'heartbeat' | 'isRunning'>,
  ): Promise<boolean> {
    const { signal } = this.#closing
    while (isRunning() && !signal.aborted) {
      try {
        await untilAborted(this.#subscription.take(record, signal), signal)
        this.#takeTrouble = null
        this.#takeBackoff.reset()
        return true
      } catch (error) {
        if (signal.aborted) return false
        this.#takeTrouble = kafkaReason(error)
        this.#tell(this.#takeTrouble)
      }
      await this.#takeBackoff.pause(signal)
      await heartbeat()
    }
    return false
  }

  #place(): Promise<GroupPlace> {
    return checkedGroup(this.#client.admin(), this.#subscription)
  }

  #missing(taken: GroupPlace['taken']): Promise<string | null> {
    const [client, timer, subscription] = [this.#client, this.#timer, this.#subscription]
    return missingOfTaken({ client, timer, subscription, taken, signal: this.#closing.signal })
  }

  /** Another member took the records of these partitions until now, perhaps for another log. */
  async #lookAtGained(gained: readonly number[], giveUp: (error: Error) => void): Promise<void> {
    if (gained.length === 0 || this.#subscription.lookBack === undefined) return
    try {
      const { taken } = await this.#place()
      const missing = await this.#missing(taken.filter((one) => gained.includes(one.partition)))
      if (missing === null) return
      this.#isTakenThere = false
      giveUp(new Error(missing))
    } catch {
      // Nobody can know now, and the group goes on.
    }
  }

  /** Forgets the partitions of others, because this member does not see what they take of them. */
  #forgetOthers(ours: readonly number[]): void {
    for (const partition of this.#next.keys()) {
      if (!ours.includes(partition)) this.#next.delete(partition)
    }
  }

  /**
   * Looks whether records are gone. Not every gap is a loss: what ends a transaction has an offset
   * too.
   */
  async #lookForGap(partition: number, first: bigint): Promise<void> {
    const next = this.#next.get(partition)
    if (next === undefined || first <= next) return
    const { topic } = this.#subscription
    this.#noteSkipped(await droppedFrom(this.#client.admin(), topic, partition, next))
  }

  #noteSkipped(skipped: string | null): void {
    if (skipped === null) return
    this.#skipped = skipped
    this.#tell(`records were dropped before they were taken: ${skipped}`)
  }

  #tell(words: string): void {
    if (words === this.#told) return
    this.#told = words
    this.#subscription.onTrouble(words)
  }
}
