/**
 * PORT: which worker holds which prefix, so that a prompt is sent to where its beginning is.
 *
 * It is a hint and never a promise: a worker may have dropped a block, or be about to compute it.
 * A wrong hint costs time and nothing else. So no method rejects because of where the index is
 * kept: what cannot be read is unknown, what cannot be written is left out.
 */
export interface PrefixPlace {
  /** Names one start of a worker: another start of the same worker holds nothing. */
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
   * Finds where leading blocks of a prompt are, the most blocks first. A prompt waits for the
   * answer, so it comes within 50 ms, with the places found by then.
   *
   * @param names consecutive blocks of one prompt, the earliest first
   */
  find(names: readonly string[]): Promise<readonly PrefixPlace[]>
  /** Calls that failed since the start. */
  readonly failures: number
  close(): Promise<void>
}
