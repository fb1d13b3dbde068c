/**
 * The port behind which events are handed to other systems. One compliance suite (`infra/bus`)
 * runs against every adapter.
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
  readonly headers: Readonly<Record<string, string>>
}

export interface ReceivedRecord extends BusRecord {
  readonly partition: number
  readonly offset: bigint
}

/** Bounds of one delivery: more is refused with a RangeError, before anything is sent. */
export const MAX_DELIVERY_RECORDS = 500
/**
 * Of keys, values and headers together: brokers take a little more in one batch, and the event
 * store a little less in one event.
 */
export const MAX_DELIVERY_BYTES = 576 * 1024

/** What a topic must be like. */
export interface TopicPlan {
  readonly name: string
  /** A power of two, which never changes: the number is a part of the promise of order. */
  readonly partitions: number
}

export interface BusTopic {
  /** What an operator should know about the topic's settings, a sentence each. */
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
   * Behind the last record that this process was told is durable, for each partition; 0 before the
   * first. When {@link BusTopic.ends} says less, records are lost that were acknowledged.
   */
  readonly acknowledged: readonly bigint[]
  /** Behind the last durable record of each partition, asked now. @throws {BusAwayError} */
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

export interface Bus {
  /**
   * Looks whether the topic keeps what is promised, and makes it when it is not there.
   *
   * @throws {UnsafeTopicError} when its settings would lose or reorder records; nothing was changed
   * @throws {BusAwayError} when no answer came: it can be asked again
   */
  open(plan: TopicPlan): Promise<BusTopic>
  /** Within a second, also when the bus does not answer. Idempotent. */
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
  const bytes = records.reduce((sum, record) => sum + bytesOf(record), 0)
  if (bytes > MAX_DELIVERY_BYTES) {
    throw new RangeError(`a delivery holds at most ${MAX_DELIVERY_BYTES} bytes`)
  }
}

/** What a record takes of {@link MAX_DELIVERY_BYTES}. */
function bytesOf({ key, value, headers }: BusRecord): number {
  const parts = [key, value, ...Object.entries(headers).flat()]
  return parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0)
}

/** @returns the records in order, in parts that each are within the bounds of one delivery */
export function* inDeliveries(records: readonly BusRecord[]): Generator<readonly BusRecord[]> {
  let delivery: BusRecord[] = []
  let bytes = 0
  for (const record of records) {
    const size = bytesOf(record)
    const isFull = delivery.length === MAX_DELIVERY_RECORDS || bytes + size > MAX_DELIVERY_BYTES
    if (delivery.length > 0 && isFull) {
      yield delivery
      delivery = []
      bytes = 0
    }
    delivery.push(record)
    bytes += size
  }
  if (delivery.length > 0) yield delivery
}
