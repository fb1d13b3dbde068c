/**
 * PORT: a store of folded states, so that the ledger need not fold a stream from its first event
 * when it reads it again.
 */
import type { StreamHead } from './event-store.ts'

/** A state folded up to a revision. It is a cache: in doubt, the ledger ignores it. */
export interface Snapshot {
  readonly stream: string
  /** The head up to which the state was folded. The ledger checks it against the stream first. */
  readonly head: StreamHead
  /** Names the shape of `state`. The ledger ignores a snapshot with another schema. */
  readonly schema: string
  /** JSON text. */
  readonly state: string
}

export interface KnownHead {
  readonly stream: string
  /** Is undefined when the snapshot is damaged. */
  readonly head: StreamHead | undefined
}

export interface SnapshotStore {
  load(stream: string): Snapshot | undefined
  /**
   * Lists one page of the heads of all snapshots, by stream. They say how far each stream had come
   * when its snapshot was saved, which shows a log that has lost events since.
   *
   * @param after the page begins behind this stream; the empty text is before all
   */
  heads(after: string, limit: number): readonly KnownHead[]
  /** Saves a snapshot if it can. @returns false when it failed, which changes nothing */
  save(snapshot: Snapshot): boolean
  /**
   * Removes all snapshots. When an operator accepts an older copy of the log, they would contradict
   * it for ever.
   */
  clear(): void
  close(): void
}
