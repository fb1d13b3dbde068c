/**
 * PORT: blocks of the model's memory, kept for the next prompt that begins alike.
 *
 * A block is what the model computed for some consecutive tokens of a prompt: how many, says the
 * schedule that the prompt was computed by. Its name is a keyed hash over the tenant, the model and
 * all tokens up to its end, so a name says nothing, a block is found only by who has the same
 * prompt, and no tenant can name another's block.
 *
 * Everything in here can be computed again. So no method rejects because of where the blocks are
 * kept: what cannot be read is a miss, what cannot be written is left out, and both are counted.
 *
 *     memory   in the process, bounded by bytes: a worker's L1
 *     redis    shared by workers, sealed: their L2
 */

/** Tokens of the largest block of any schedule. */
export const BLOCK_TOKENS_MAX = 128

export interface PrefixBlock {
  /** 32 hexadecimal digits. */
  readonly name: string
  /** The name of the block before it, or null for a prompt's first. */
  readonly parent: string | null
  /** The token ids that it stands for: 1 to {@link BLOCK_TOKENS_MAX}. */
  readonly tokens: Int32Array
  /** The keys and values: for each layer its K rows, then for each layer its V rows. */
  readonly bytes: Uint8Array
}

export interface PrefixStoreUsage {
  readonly blocks: number
  readonly bytes: number
  readonly bytesMax: number
  /** Evictions since the start, as everything below. */
  readonly evictions: number
  /** Blocks that were asked for and found. */
  readonly hits: number
  readonly misses: number
  /** Blocks written. */
  readonly writes: number
  /** Blocks left out because their tenant holds its share, or because nothing can be written. */
  readonly refused: number
  /** Calls that failed: not reachable, too slow, an error. */
  readonly failures: number
  /** Blocks found that were not what their name says, and were removed. */
  readonly corrupt: number
}

/** The right to compute what is missing, while others wait for it. */
export interface PrefixClaim {
  release(): Promise<void>
}

export interface PrefixStore {
  /**
   * The leading blocks of a chain, up to the first that is missing. Those found count as used.
   *
   * @param names consecutive blocks of one prompt, the earliest first
   * @param signal ends the reading early: what has been read by then is returned
   */
  get(names: readonly string[], signal?: AbortSignal): Promise<readonly PrefixBlock[]>
  /** Counts the leading blocks of the chain that are here. Uses none of them. */
  has(names: readonly string[]): Promise<number>
  /**
   * Keeps blocks, until there is no room or they have not been used for long. One that is here is
   * left as it is.
   *
   * @param tenant whose they are: each may take only a share of the room
   * @param blocks consecutive blocks of one prompt, the earliest first
   */
  put(tenant: string, blocks: readonly PrefixBlock[]): Promise<void>
  /** Removes a block that turned out to be of no use. */
  remove(name: string): Promise<void>
  /**
   * Names of blocks that are here, for a look at whether they are what they should be.
   *
   * @param limit at most this many blocks, spread over the store
   */
  sample(limit: number): Promise<readonly string[]>
  /**
   * Says that the holder computes the chain from this block on.
   *
   * @param forMs the claim ends by itself after this time
   * @returns null when somebody else has said so; a store that cannot tell grants it
   */
  claim(name: string, forMs: number): Promise<PrefixClaim | null>
  usage(): PrefixStoreUsage
  close(): Promise<void>
}
