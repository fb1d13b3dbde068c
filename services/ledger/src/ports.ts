/** What the ledger needs from the outside, wired in the composition root. */
import type { Position, StreamHead } from '@svc/contracts/ports/event-store'
import type { UsedKey } from './account/used-key.ts'

export interface Clock {
  /** Milliseconds since 1970. */
  nowMs(): number
}

export interface Timer {
  /** Runs once after the delay; the returned function cancels it. */
  after(delayMs: number, run: () => void): () => void
}

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
  /** Undefined when the snapshot is damaged. */
  readonly head: StreamHead | undefined
}

export interface SnapshotStore {
  load(stream: string): Snapshot | undefined
  /**
   * One page of what is kept, by stream: what the ledger knew of the log when it saved them.
   *
   * @param after exclusive; the empty text is before all
   */
  heads(after: string, limit: number): readonly KnownHead[]
  /** Best effort: a failure is reported by a return of false and changes nothing else. */
  save(snapshot: Snapshot): boolean
  close(): void
}

/** Finds the Idempotency-Keys of an account in the log: all of them, however old. */
export interface UsedKeys {
  /**
   * @param upTo position that the answer has to cover
   * @returns the last request that came with the key; undefined when there is none, or when it
   *   ended without a debit: then the key is free
   * @throws {ServiceError} `view_behind` when it cannot be known now
   */
  find(accountId: string, keyHash: string, upTo: Position): Promise<UsedKey | undefined>
}
