/**
 * PORT: an index of which worker holds which prefix, so that a prompt goes to a worker that has
 * computed its beginning.
 *
 * It gives hints, not promises: a worker may have dropped a block, or be about to compute it. A
 * wrong hint costs time and nothing else. So no method rejects when the index is out of reach: a
 * place that cannot be read counts as unknown, and one that cannot be written is left out.
 */
export interface PrefixPlace {
  /** Names one start of a worker. After a restart, the worker holds nothing. */
  readonly instanceId: string
  /** The number of leading blocks of the prompt that it holds. At least 1. */
  readonly blocks: number
}

export interface PrefixIndex {
  /**
   * Notes that a worker holds these blocks, or will in a moment.
   *
   * @param names consecutive blocks of one prompt, the earliest first
   */
  note(instanceId: string, names: readonly string[]): Promise<void>
  /**
   * Finds the workers that hold leading blocks of a prompt, those with the most blocks first. The
   * prompt waits for it, so it answers within 50 ms with what it has found by then.
   *
   * @param names consecutive blocks of one prompt, the earliest first
   */
  find(names: readonly string[]): Promise<readonly PrefixPlace[]>
  /** How many calls have failed since the start. */
  readonly failures: number
  close(): Promise<void>
}
