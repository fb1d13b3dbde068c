/** Where signed checkpoints of the log come from. */

export interface SignedCheckpoint {
  /** A signed note, to be handed out as it is. */
  readonly note: string
  /** How many events it covers. */
  readonly size: number
}

export interface LogCheckpoints {
  /** The verifier key that the log signs with now. */
  readonly key: string
  /** How it came to that key: notes that the key before and the key after sign, oldest first. */
  readonly rotations: readonly string[]
  /** The last one that was signed. Undefined before the first. */
  readonly latest: SignedCheckpoint | undefined
  /**
   * One that covers the first `size` events at least: the last one, or one that is signed now.
   *
   * @throws {ServiceError} `view_behind` when the tree is not that large, `evidence_contradicted`
   *   when the log is not what was signed before
   */
  covering(size: number): SignedCheckpoint
  /**
   * Goes over to a new key, which the old one vouches for.
   *
   * @throws {ServiceError} `conflict` when the key is kept somewhere else
   */
  rotate(): void
}
