/** How far a topic is known to hold the events of a log, and of which log. */
import { accountStream } from '@svc/contracts/events/account'
import { pricingStream } from '@svc/contracts/events/pricing'
import type { BusRecord } from '@svc/contracts/ports/bus'
import {
  BrokenChainError,
  DamagedStreamError,
  type EventStore,
  type Position,
  type RecordedEvent,
} from '@svc/contracts/ports/event-store'

/** The event at the position of a checkpoint, by which its log is known again. */
export type FeedWitness = Pick<RecordedEvent, 'stream' | 'revision' | 'hash'>

export interface FeedCheckpoint {
  readonly topic: string
  readonly position: Position
  /**
   * The event by which the log is known again; null when none is known, such as after a move of the
   * ledger.
   */
  readonly witness: FeedWitness | null
  /** The offsets behind the last record of each partition that was acknowledged and found. */
  readonly ends: readonly bigint[]
  /** The records of the topic that were lost before that, in words, until they are sent again. */
  readonly lost: string | null
}

export interface FeedCheckpoints {
  /** @returns undefined before the first */
  read(): FeedCheckpoint | undefined
  /** Writes the checkpoint, which is durable when this returns. */
  write(checkpoint: FeedCheckpoint): void
}

/** The checkpoint is of another log, or of a time before a backup was restored. */
class OtherLogError extends Error {
  override readonly name = 'OtherLogError'

  constructor(position: Position) {
    super(
      `position ${position}, up to which events were sent, is of another event log, or of a newer ` +
        'copy of this one: move feed.json away, and give the feed a new topic',
    )
  }
}

/** Whoever read the topic would have events that did not happen, and wrong balances. */
class OtherTopicError extends Error {
  override readonly name = 'OtherTopicError'

  constructor({ key, headers }: BusRecord) {
    super(
      `the topic has an event of ${key}, revision ${headers.revision}, that this event log does ` +
        'not have: it is fed by another log, or was by a newer copy of this one: give the feed a ' +
        'new topic',
    )
  }
}

export function witnessOf({ stream, revision, hash }: RecordedEvent): FeedWitness {
  return { stream, revision, hash }
}

/** Finds the event that was made into the record. */
export function witnessOfRecord({ key, headers }: BusRecord): FeedWitness {
  const stream = key === pricingStream ? pricingStream : accountStream(key)
  return { stream, revision: Number(headers.revision), hash: headers.hash ?? '' }
}

/**
 * A log that was restored is shorter at first, and soon as long as before: what is at the position
 * then is another event, and those before it were never sent.
 *
 * @throws {OtherLogError}
 */
export async function checkSameLog(
  store: Pick<EventStore, 'readStream'>,
  { position, witness }: FeedCheckpoint,
): Promise<void> {
  if (witness === null) return
  const event = await eventOf(store, witness)
  if (event === 'unreadable') return
  if (event?.position !== position || event.hash !== witness.hash) throw new OtherLogError(position)
}

/**
 * @param record of the topic, perhaps of another program, which tells nothing
 * @throws {OtherTopicError} when it is of an event that the log does not have
 */
export async function checkOwnRecord(
  store: Pick<EventStore, 'readStream'>,
  record: BusRecord,
): Promise<void> {
  const witness = witnessOfRecord(record)
  if (witness.hash === '' || !Number.isSafeInteger(witness.revision)) return
  const event = await eventOf(store, witness)
  if (event !== 'unreadable' && event?.hash !== witness.hash) throw new OtherTopicError(record)
}

async function eventOf(
  store: Pick<EventStore, 'readStream'>,
  { stream, revision: from }: FeedWitness,
): Promise<RecordedEvent | undefined | 'unreadable'> {
  try {
    const [event] = await store.readStream({ stream, direction: 'forwards', from, limit: 1 })
    return event
  } catch (error) {
    // If only this stream is damaged, that tells nothing about the log.
    if (error instanceof DamagedStreamError || error instanceof BrokenChainError)
      return 'unreadable'
    throw error
  }
}
