/**
 * PORT: a store of key-value blocks of the model, kept for the next prompt with the same beginning.
 *
 * A block holds what the model computed for some consecutive tokens of a prompt; the prompt's
 * schedule says how many. Its name is a keyed hash over the tenant, the model and all tokens up to
 * its end. So a name reveals nothing, only somebody with the same prompt can find the block, and no
 * tenant can name a block of another.
 *
 * Every block can be computed again. So no method rejects when the store is out of reach: a block
 * that cannot be read is a miss, one that cannot be written is left out, and both are counted.
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
  /** Evictions. This and all counts below are since the start. */
  readonly evictions: number
  /** Blocks that were asked for, and found. */
  readonly hits: number
  readonly misses: number
  /** Blocks written. */
  readonly writes: number
  /** Blocks left out because their tenant has used up its share, or nothing can be written. */
  readonly refused: number
  /** Calls that failed: the store was out of reach or too slow, or answered with an error. */
  readonly failures: number
  /** Blocks that were removed because their content does not fit their name. */
  readonly corrupt: number
}

/** The right to compute what is missing, while others wait for it. */
export interface PrefixClaim {
  release(): Promise<void>
}

export interface PrefixStore {
  /**
   * Reads the leading blocks of a chain, up to the first that is missing. They count as used now.
   *
   * @param names consecutive blocks of one prompt, the earliest first
   * @param signal ends the read early, with the blocks that were read by then
   */
  get(names: readonly string[], signal?: AbortSignal): Promise<readonly PrefixBlock[]>
  /** Counts the leading blocks of a chain that are here. They do not count as used. */
  has(names: readonly string[]): Promise<number>
  /**
   * Keeps blocks until there is no room for them, or until they have been unused for a long time. A
   * block that is here already stays as it is.
   *
   * @param tenant owns the blocks. Each tenant may use only a share of the room
   * @param blocks consecutive blocks of one prompt, the earliest first
   */
  put(tenant: string, blocks: readonly PrefixBlock[]): Promise<void>
  /** Removes a block that turned out to be damaged or useless. */
  remove(name: string): Promise<void>
  /**
   * Picks names of blocks that are here, so that an audit can compute them again and compare.
   *
   * @param limit the most names to return, spread over the store
   */
  sample(limit: number): Promise<readonly string[]>
  /**
   * Claims the right to compute a chain from this block on, so that others wait for the result.
   *
   * @param forMs the claim ends by itself after this time
   * @returns null when somebody else holds the claim. A store that cannot tell grants it
   */
  claim(name: string, forMs: number): Promise<PrefixClaim | null>
  usage(): PrefixStoreUsage
  close(): Promise<void>
}

/** A store in the memory of whoever asks, which can look at what follows a block. */
export interface NearPrefixStore extends PrefixStore {
  /**
   * Finds the block that begins most alike, of those that follow this one in other prompts. It
   * counts as used.
   *
   * @param tokens what follows in the prompt that is looked up
   * @returns undefined when none has the first of these tokens
   */
  following(name: string, tokens: readonly number[]): BegunBlock | undefined
}

/** A block of another prompt that begins like this one. */
export interface BegunBlock {
  readonly block: PrefixBlock
  /** How many of its leading tokens are the same. */
  readonly sharedTokens: number
}
