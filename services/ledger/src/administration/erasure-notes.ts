/**
 * What this process has begun to erase. The event of an erasure comes before the texts go: a
 * process that dies in between leaves a note, and the next start finishes it.
 */
export interface Erasure {
  readonly accountId: string
  /** The change id of its event in the log. */
  readonly changeId: string
}

export interface ErasureNotes {
  /** Lists the erasures that were begun and not finished. */
  list(): readonly Erasure[]
  /** Durable when it returns. */
  add(erasure: Erasure): void
  remove(erasure: Erasure): void
}

/** The notes of a process that leaves nothing to the next one. */
export const noErasureNotes: ErasureNotes = { list: () => [], add() {}, remove() {} }
