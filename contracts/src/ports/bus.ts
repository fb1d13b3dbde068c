/**
 * The port behind which events are handed to other systems, and records of theirs are taken. One
 * compliance suite (`infra/bus`) runs against every adapter.
 *
 * Terms. A *topic* is a fixed number of *partitions*, each an ordered list of records with
 * *offsets* 0, 1, 2 …. All records of one key are in one partition, and the partition follows from
 * the key alone (`key-partition.ts`): whatever client writes, a key stays where it is.
 */

export interface BusRecord {
  /** Records of one key stay in order. */
  readonly key: string
  /** UTF-8, delivered byte for byte. */
  readonly value: string
  /** Stands in for the value, which is empty then, where another program wrote what is no UTF-8. */
  readonly bytes?: Buffer
  readonly headers: Readonly<Record<string, string>>
}

export interface ReceivedRecord extends BusRecord {
  readonly partition: number
  readonly offset: bigint
}

/** Bounds key, value and headers together: the event store takes a little less in one event. */
export const MAX_RECORD_BYTES = 576 * 1024
/** Bounds of one delivery: more is refused with a RangeError, before anything is sent. */
export const MAX_DELIVERY_RECORDS = 4_000
export const MAX_DELIVERY_BYTES = 4 * 1024 * 1024

/** What a topic must be like. */
export interface TopicPlan {
  readonly name: string
  /** A power of two, which never changes: the number is a part of the promise of order. */
  readonly partitions: number
}

export interface BusTopic {
  /** Says what an operator should know about the topic's settings, a sentence each. */
  readonly warnings: readonly string[]
  /**
   * Resolves when every record is acknowledged as durable, however long that takes; what is not
   * acknowledged is sent again, so a record can be there twice. One delivery at a time: only then
   * the order of each key is right.
   *
   * @param signal stops waiting: what of the delivery is there is then unknown
   * @throws {RangeError} for more than a delivery holds, or while another is under way
   * @throws {BusRefusedError} when no repetition can help; other records can be delivered after it
   * @throws {BusRewoundError} when the topic holds less than was acknowledged: deliver again what
   *   is lost, and then these
   */
  deliver(records: readonly BusRecord[], signal: AbortSignal): Promise<void>
  /** Why the delivery under way is not acknowledged yet, in words; null while all is well. */
  readonly trouble: string | null
  /**
   * The offset behind the last record that this process was told is durable, for each partition; 0
   * before the first. When {@link BusTopic.ends} says less, records are lost that were
   * acknowledged.
   */
  readonly acknowledged: readonly bigint[]
  /**
   * Asks now for the offset behind the last durable record of each partition.
   *
   * @throws {BusAwayError}
   */
  ends(): Promise<readonly bigint[]>
  /**
   * Reads what the topic holds at this moment from its first record on, in order within each
   * partition, and resolves behind the last.
   *
   * @throws {BusAwayError} when the bus stops answering: what was read so far was right
   */
  read(take: (records: readonly ReceivedRecord[]) => void, signal: AbortSignal): Promise<void>
  /** Gives back what the topic holds of the bus. Idempotent. */
  close(): Promise<void>
}

/**
 * Records of a topic that others write, for one of several consumers who share the work: those with
 * the same group. The group remembers how far it is, and a new group begins at the first record.
 */
export interface Subscription {
  readonly topic: string
  readonly group: string
  /**
   * Is called for every record until it resolves; only then the group passes it, and the next
   * record of its partition comes. One call runs at a time. A record can come again after it was
   * taken, here or at another consumer of the group: after a crash, and when the group shares its
   * partitions anew, also while this call is running. So the effect has to know what it has done.
   *
   * @param signal aborted when nobody waits for this call any more
   * @throws whatever keeps the record from being taken now: it comes again after a pause
   */
  take(record: ReceivedRecord, signal: AbortSignal): Promise<void>
  /** Is told when something new keeps records from being taken, and what was skipped. */
  onTrouble(words: string): void
}

/** Takes records by itself, and begins anew whenever the bus comes back, until it is closed. */
export interface BusConsumer {
  /** Why no record is taken, in words; null while all is well. */
  readonly trouble: string | null
  /**
   * Records that the topic dropped before this group had taken them, in words: they are lost unless
   * whoever wrote them does it again. Null for none.
   */
  readonly skipped: string | null
  /** Records of this consumer's partitions that are not taken yet, as far as it was told. */
  readonly waiting: bigint
  /** Ends within a second, and lets go of the call of `take` under way. Idempotent. */
  close(): Promise<void>
}

export interface Bus {
  /** A topic that is not there, or not safe for this, is `trouble` until it is mended. */
  consume(subscription: Subscription): BusConsumer
  /**
   * Looks whether the topic keeps what is promised, and makes it when it is not there.
   *
   * @throws {UnsafeTopicError} when its settings would lose or reorder records; nothing was changed
   * @throws {BusAwayError} when no answer came: it can be asked again
   */
  open(plan: TopicPlan): Promise<BusTopic>
  /** Ends within a second, also when the bus does not answer. Idempotent. */
  close(): Promise<void>
}

/** No server of the bus answers, or none that may. It comes back without anybody's help. */
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

/** The topic was cut, emptied or made anew behind our back. */
export class BusRewoundError extends Error {
  override readonly name = 'BusRewoundError'
}

/** The bus refuses these records for good, such as for a missing right or their size. */
export class BusRefusedError extends Error {
  override readonly name = 'BusRefusedError'
}

/** @throws {RangeError} when it is more than one delivery may hold */
export function checkDelivery(records: readonly BusRecord[]): void {
  if (records.length > MAX_DELIVERY_RECORDS) {
    throw new RangeError(`a delivery holds at most ${MAX_DELIVERY_RECORDS} records`)
  }
  const sizes = records.map(bytesOf)
  if (sizes.some((bytes) => bytes > MAX_RECORD_BYTES)) {
    throw new RangeError(`a record holds at most ${MAX_RECORD_BYTES} bytes`)
  }
  if (sizes.reduce((sum, bytes) => sum + bytes, 0) > MAX_DELIVERY_BYTES) {
    throw new RangeError(`a delivery holds at most ${MAX_DELIVERY_BYTES} bytes`)
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

const deliveryBounds = { records: MAX_DELIVERY_RECORDS, bytes: MAX_DELIVERY_BYTES }

/**
 * @param bounds of a part, which a single record may be beyond
 * @returns the records in order, in parts that each are within the bounds of one delivery
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
