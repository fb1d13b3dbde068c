/** Events that were read from the log and are not sent yet: what goes out together. */
import {
  type BusRecord,
  DELIVERY_BYTES_MAX,
  DELIVERY_RECORDS_MAX,
  inDeliveries,
} from '@svc/contracts/ports/bus'
import type { Position, RecordedEvent } from '@svc/contracts/ports/event-store'
import { type FeedWitness, witnessOf, witnessOfRecord } from './feed-witness.ts'

/** Events that are read, and made into records, at once: some milliseconds. */
export const PAGE_EVENTS = 500
/** This many acknowledged records are saved at once, and not at the next turn of the clock. */
export const SAVE_AT_RECORDS = 500
/**
 * How many records make a delivery full. With the page that fills it, and what is not saved of the
 * one before, they are within one delivery's bound.
 */
const FULL_RECORDS = DELIVERY_RECORDS_MAX - PAGE_EVENTS - SAVE_AT_RECORDS
/** How many characters make a delivery full too, which bounds the memory that it takes. */
const FULL_CHARACTERS = DELIVERY_BYTES_MAX / 2

/** What one delivery holds. */
export interface DeliveryPart {
  readonly records: readonly BusRecord[]
  /** Every event up to here is in this part or before it, or is not for the feed. */
  readonly position: Position
  /** The event at this position. */
  readonly witness: FeedWitness
}

export class PendingDelivery {
  /** When the first of them was read. */
  readonly sinceMs: number
  readonly #records: BusRecord[] = []
  #last: RecordedEvent | undefined
  #characters = 0

  constructor(sinceMs: number) {
    this.sinceMs = sinceMs
  }

  /** @param last of the events that they were made of */
  add(records: readonly BusRecord[], last: RecordedEvent): void {
    this.#records.push(...records)
    this.#last = last
    for (const { value } of records) this.#characters += value.length
  }

  /** Brokers take few large batches faster: while the log has more, a delivery waits for this. */
  get isFull(): boolean {
    return this.#records.length >= FULL_RECORDS || this.#characters >= FULL_CHARACTERS
  }

  /**
   * Splits the delivery in order into parts within the bounds of the bus. The last one may have no
   * record at all.
   */
  parts(): readonly DeliveryPart[] {
    const last = this.#last
    if (last === undefined) return []
    const parts = [...inDeliveries(this.#records)]
    const rest = parts.pop() ?? []
    return [
      ...parts.flatMap(partOf),
      { records: rest, position: last.position, witness: witnessOf(last) },
    ]
  }
}

function partOf(records: readonly BusRecord[]): readonly DeliveryPart[] {
  const last = records.at(-1)
  if (last === undefined) return []
  const position = BigInt(last.headers.position ?? '')
  return [{ records, position, witness: witnessOfRecord(last) }]
}
