/**
 * PORT: a message bus, such as Kafka. The relay delivers events to other systems through it, and
 * top-ups take records that other systems write. One compliance suite (`infra/bus`) runs against
 * every adapter.
 *
 * Terms. A *topic* is a fixed number of *partitions*, each an ordered list of records with
 * *offsets* 0, 1, 2 …. All records of one key are in one partition, which is computed from the key
 * alone (`key-partition.ts`), so that it does not depend on the client that writes.
 */

export interface BusRecord {
  /** Records of one key stay in order. */
  readonly key: string
  /** UTF-8, delivered byte for byte. */
  readonly value: string
  /** Given when another program wrote a value that is not UTF-8; `value` is empty then. */
  readonly bytes?: Buffer
  readonly headers: Readonly<Record<string, string>>
}

export interface ReceivedRecord extends BusRecord {
  readonly partition: number
  readonly offset: bigint
}

/** The most bytes of key, value and headers together: an event of the store fits in. */
export const RECORD_BYTES_MAX = 576 * 1024
/** Bounds of one delivery. More is refused with a RangeError before anything is sent. */
export const DELIVERY_RECORDS_MAX = 4_000
export const DELIVERY_BYTES_MAX = 4 * 1024 * 1024

/** The topic that a caller needs. */
export interface TopicPlan {
  readonly name: string
  /** A power of two. It never changes, because then keys would move and lose their order. */
  readonly partitions: number
}

export interface BusTopic {
  /** Says what an operator should know about the topic's settings, a sentence each. */
  readonly warnings: readonly string[]
  /**
   * Resolves when every record is acknowledged as durable, however long that takes. It sends again
   * what is not acknowledged, so a record can be in the topic twice. One delivery runs at a time:
   * two would mix up the order within a key.
   *
   * @param signal stops waiting: then nobody knows which of the records are in the topic
   * @throws {RangeError} for more than a delivery holds, or while another is under way
   * @throws {BusRefusedError} when sending again cannot help; other records can still be delivered
   * @throws {BusRewoundError} when the topic holds less than was acknowledged: deliver the lost
   *   records again, and then these
   */
  deliver(records: readonly BusRecord[], signal: AbortSignal): Promise<void>
  /** Why the delivery under way is not acknowledged yet, in words. Null when nothing is wrong. */
  readonly trouble: string | null
  /**
   * For each partition, the offset behind the last record that was acknowledged to this process; 0
   * before the first. When {@link BusTopic.ends} gives less, acknowledged records were lost.
   */
  readonly acknowledged: readonly bigint[]
  /**
   * Asks the bus for the offset behind the last durable record of each partition.
   *
   * @throws {BusAwayError}
   */
  ends(): Promise<readonly bigint[]>
  /**
   * Reads all records that the topic holds at the time of the call, in order within each partition.
   *
   * @throws {BusAwayError} when the bus stops answering. The records that were read are right
   */
  read(take: (records: readonly ReceivedRecord[]) => void, signal: AbortSignal): Promise<void>
  /**
   * Reads the last record of each partition that has any.
   *
   * @throws {BusAwayError}
   * @throws {BusRefusedError} when this user may not read
   */
  last(signal: AbortSignal): Promise<readonly ReceivedRecord[]>
  /** Releases connections and memory; the topic and its records stay. Idempotent. */
  close(): Promise<void>
}

/**
 * What a consumer wants of a topic that others write. Consumers with the same group share its
 * partitions. The bus remembers how far the group has come; a new group begins at the first record.
 */
export interface Subscription {
  readonly topic: string
  readonly group: string
  /**
   * Takes one record. The next record of the partition comes only when this has resolved. One call
   * runs at a time.
   *
   * A record can come again after it was taken, here or at another consumer of the group: after a
   * crash, and when the group shares out its partitions anew, even while this call runs. So what it
   * does must be idempotent.
   *
   * @param signal aborted when the outcome of this call no longer counts
   * @throws any error, to have the record come again after a pause
   */
  take(record: ReceivedRecord, signal: AbortSignal): Promise<void>
  /**
   * Looks whether what taking a record did is there. A consumer asks before it takes anything, and
   * again when it gets partitions of others, about the last record that the group has taken of each
   * of them, where the topic still has it.
   *
   * @returns in words what is not there; null when all is, or when nobody can know. With words the
   *   consumer leaves its group, and stays out of it until they are gone
   */
  lookBack?(last: ReceivedRecord): Promise<string | null>
  /** Is called when there is a new reason why no record is taken, and when records were skipped. */
  onTrouble(words: string): void
}

/** A running consumer. It reconnects by itself until it is closed. */
export interface BusConsumer {
  /** Why no record is taken, in words. Null when nothing is wrong. */
  readonly trouble: string | null
  /**
   * Says in words which records the topic dropped before this group took them. They are lost unless
   * their writer sends them again. Null for none.
   */
  readonly skipped: string | null
  /**
   * How many records of this consumer's partitions wait, by the last answer of the bus. Null while
   * nobody knows: before the bus has answered, and again when it does not.
   */
  readonly waiting: bigint | null
  /** Ends within a second; a call of `take` under way is aborted, not waited for. Idempotent. */
  close(): Promise<void>
}

export interface Bus {
  /** Starts at once. A topic that is missing or unsafe is the consumer's `trouble` until mended. */
  consume(subscription: Subscription): BusConsumer
  /**
   * Checks that the topic is safe, and creates it when it does not exist.
   *
   * @throws {UnsafeTopicError} when its settings would lose or reorder records; nothing was changed
   * @throws {BusAwayError} when no answer came: it can be asked again
   */
  open(plan: TopicPlan): Promise<BusTopic>
  /** Ends within a second, also when the bus does not answer. Idempotent. */
  close(): Promise<void>
}

/** No server of the bus answers, or none that may, as between two leaders. It comes back alone. */
export class BusAwayError extends Error {
  override readonly name = 'BusAwayError'
}

/** A topic on which the promise of order and durability cannot be kept. */
export class UnsafeTopicError extends Error {
  override readonly name = 'UnsafeTopicError'

  constructor(topic: string, problems: readonly string[]) {
    super(`the topic ${topic} cannot be used: ${problems.join('; ')}`)
  }
}

/** Somebody truncated, emptied or recreated the topic. */
export class BusRewoundError extends Error {
  override readonly name = 'BusRewoundError'
}

/** The bus refuses these records for good, for example for a missing permission or their size. */
export class BusRefusedError extends Error {
  override readonly name = 'BusRefusedError'
}

/** @throws {RangeError} when it is more than one delivery may hold */
export function checkDelivery(records: readonly BusRecord[]): void {
  if (records.length > DELIVERY_RECORDS_MAX) {
    throw new RangeError(`a delivery holds at most ${DELIVERY_RECORDS_MAX} records`)
  }
  const sizes = records.map(bytesOf)
  if (sizes.some((bytes) => bytes > RECORD_BYTES_MAX)) {
    throw new RangeError(`a record holds at most ${RECORD_BYTES_MAX} bytes`)
  }
  if (sizes.reduce((sum, bytes) => sum + bytes, 0) > DELIVERY_BYTES_MAX) {
    throw new RangeError(`a delivery holds at most ${DELIVERY_BYTES_MAX} bytes`)
  }
}

function bytesOf({ key, headers, ...record }: BusRecord): number {
  let bytes = Buffer.byteLength(key) + bytesOfValue(record)
  for (const name in headers) {
    bytes += Buffer.byteLength(name) + Buffer.byteLength(headers[name] ?? '')
  }
  return bytes
}

export function bytesOfValue({ value, bytes }: Pick<BusRecord, 'value' | 'bytes'>): number {
  return bytes?.length ?? Buffer.byteLength(value)
}

const deliveryBounds = { records: DELIVERY_RECORDS_MAX, bytes: DELIVERY_BYTES_MAX }

/**
 * Cuts records, in their order, into parts that one delivery may hold.
 *
 * @param bounds of one part. A record that is larger than them is a part of its own
 */
export function* inDeliveries(
  records: readonly BusRecord[],
  bounds = deliveryBounds,
): Generator<readonly BusRecord[]> {
  let part: BusRecord[] = []
  let bytes = 0
  for (const record of records) {
    const size = bytesOf(record)
    const isFull = part.length === bounds.records || bytes + size > bounds.bytes
    if (part.length > 0 && isFull) {
      yield part
      part = []
      bytes = 0
    }
    part.push(record)
    bytes += size
  }
  if (part.length > 0) yield part
}
