/**
 * The port behind which the ledger keeps folded states, so that a start need not fold every stream
 * from its first event.
 */
import type { StreamHead } from './event-store.ts'

/** A folded state at a revision: a cache that is never a source, and ignored when in doubt. */
export interface Snapshot {
  readonly stream: string
  /** The head that the state was folded up to; checked against the stream before use. */
  readonly head: StreamHead
  /** Names the shape of `state`; another shape is ignored. */
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
   * Gives one page of what is kept, by stream: what the ledger knew of the log when it saved them.
   *
   * @param after exclusive; the empty text is before all
   */
  heads(after: string, limit: number): readonly KnownHead[]
  /** Best effort: a failure is reported by a return of false and changes nothing else. */
  save(snapshot: Snapshot): boolean
  /** Forgets all: an older copy of the log, which is accepted, would be accused by it for ever. */
  clear(): void
  close(): void
}
