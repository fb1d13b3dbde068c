/**
 * Streams that are set aside because they cannot be relied on: nothing is decided on them and
 * nothing is written to them, and everything else goes on.
 *
 * Whoever finds damage notes it here: the store, the views, the ledger, a verification. A stream
 * leaves the list when it was read again from its first event to its last and is whole.
 */
import { messageOf } from '../../text/error-message.ts'
import { BrokenChainError, DamagedStreamError, type RecordedEvent } from '../event-store.ts'

/** Says what is wrong with one stream. */
export interface StreamDamage {
  readonly stream: string
  /**
   * The revision of the first event that cannot be relied on; null when no event of the stream can
   * be.
   */
  readonly revision: number | null
  /** Says what is wrong in words that end a sentence about the stream. */
  readonly cause: string
}

export interface Quarantine {
  /** Lists all damaged streams, those that the store itself has set aside first. */
  list(): readonly StreamDamage[]
  /** Lists those that were found by reading, in the order in which they were found. */
  noted(): readonly StreamDamage[]
  /** Finds the damage of a stream. Fast, because it is called for every request. */
  find(stream: string): StreamDamage | undefined
  /** Sets a stream aside; one that is known already stays as it is. */
  note(damage: StreamDamage): void
}

/** Serves a log that cannot be damaged, such as one in memory. */
export const noQuarantine: Quarantine = {
  list: () => [],
  noted: () => [],
  find: () => undefined,
  note: () => {},
}

const ALTERED = 'its history was altered: the event does not fit the chain'

/** The damage that an error reports; undefined for an error about anything else. */
export function damageIn(error: unknown): StreamDamage | undefined {
  if (error instanceof DamagedStreamError) {
    return { stream: error.stream, revision: error.revision, cause: error.reason }
  }
  if (!(error instanceof BrokenChainError)) return undefined
  return { stream: error.stream, revision: error.revision, cause: ALTERED }
}

/** Says what is wrong with a stream because of one of its events. */
export function causeOf({ type }: Pick<RecordedEvent, 'type'>, error: unknown): string {
  return `event ${type}: ${messageOf(error)}`
}

/** The error for a stream that cannot be relied on from an event on, which was refused so. */
export function damagedAt(
  event: Pick<RecordedEvent, 'stream' | 'revision' | 'type'>,
  cause: unknown,
): DamagedStreamError {
  const { stream, revision } = event
  return new DamagedStreamError(stream, causeOf(event, cause), { cause, revision })
}

/** The error for somebody who needs a damaged stream. */
export function damageError({ stream, revision, cause }: StreamDamage): DamagedStreamError {
  return new DamagedStreamError(stream, cause, { revision })
}
