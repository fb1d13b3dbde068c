/** One event by which a log is known again, whatever else it has. */
import { accountStream } from '@svc/contracts/events/account'
import { pricingStream } from '@svc/contracts/events/pricing'
import type { BusRecord } from '@svc/contracts/ports/bus'
import { eventAt } from '@svc/contracts/ports/event-at'
import type { EventStore, Position, RecordedEvent } from '@svc/contracts/ports/event-store'

export type FeedWitness = Pick<RecordedEvent, 'stream' | 'revision' | 'hash'>

export interface WitnessedPosition {
  readonly position: Position
  /** The event there; null when none is known, such as after a move of the ledger. */
  readonly witness: FeedWitness | null
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
  { position, witness }: WitnessedPosition,
): Promise<void> {
  if (witness === null) return
  const event = await eventAt(store, witness)
  if (event === 'damaged') return
  if (event?.position !== position || event.hash !== witness.hash) throw new OtherLogError(position)
}
