/** How far a topic is known to hold the events of a log. */
import type { Position } from '@svc/contracts/ports/event-store'
import type { FeedWitness } from './feed-witness.ts'

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
