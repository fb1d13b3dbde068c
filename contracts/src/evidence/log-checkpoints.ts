/** The source of the log's signed checkpoints. */

export interface SignedCheckpoint {
  /** A signed note, to be handed out as it is. */
  readonly note: string
  /** The number of events that it covers. */
  readonly size: number
}

export interface LogCheckpoints {
  /** The verifier key that the log signs with now. */
  readonly key: string
  /**
   * The notes by which it came to that key: the key before and the key after sign each, oldest
   * first.
   */
  readonly rotations: readonly string[]
  /**
   * The last one that any gateway of this name has signed. Undefined before the first.
   *
   * @throws {ServiceError} `evidence_contradicted` when it is signed with another key
   * @throws {StoreUnavailableError}
   */
  latest(): Promise<SignedCheckpoint | undefined>
  /**
   * Finds a checkpoint that covers the first `size` events at least: the last one, or one that is
   * signed now.
   *
   * @throws {ServiceError} `view_behind` when the tree is not that large, `evidence_contradicted`
   * when the log is not what was signed before
   * @throws {StoreUnavailableError}
   */
  covering(size: number): Promise<SignedCheckpoint>
  /**
   * Goes over to a new key, which the old one vouches for.
   *
   * @throws {ServiceError} as {@link covering}, and `conflict` when the key is kept somewhere else
   */
  rotate(): Promise<void>
}
