/** How far a topic is known to hold the events of a log. */
import type { WitnessedPosition } from './feed-witness.ts'

/** Every event up to its position was found in the topic. */
export interface FeedCheckpoint extends WitnessedPosition {
  readonly topic: string
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
