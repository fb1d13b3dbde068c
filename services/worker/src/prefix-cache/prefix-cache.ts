/**
 * What of a prompt need not be computed, and where it is kept.
 *
 *     live sequence     holds its last prompt (see `scheduling/sequences/sequence-pool.ts`)
 *     L1                blocks in this worker's memory
 *     L2                blocks in Redis, which all workers share; may be missing
 *
 * A look-up takes the longest chain, and in L1 the beginning of the block behind it, where another
 * prompt begins like that and the schedule allows a cut there. When the next block is being
 * computed by another request of this worker, it waits for that one. Everything that fails is a
 * miss.
 *
 * Only blocks that were computed as chunks of a prompt are kept: the bytes of a block of generated
 * tokens differ from those of the same block prefilled, and an answer must not depend on what was
 * cached. They are copied out of the sequence when somebody waits for them, and else some time
 * after the answer (see `scheduling/sequences/unkept-prompts.ts`), so that no request is kept from
 * its first token by what helps the next one.
 */
import type {
  BegunBlock,
  NearPrefixStore,
  PrefixBlock,
  PrefixClaim,
  PrefixStore,
} from '@svc/contracts/ports/prefix-store'
import type { StateResponse } from '@svc/contracts/worker/protocol'
import type { EngineSequence } from '../engines/engine.ts'
import { type BlockNames, blocksOf, type Chain, sharedLength, tokensOf } from './block-names.ts'
import { CacheCounts } from './cache-counts.ts'
import type { CostModel } from './cost-model.ts'
import { type Flight, Flights } from './flights.ts'
import { SharedBlocks } from './shared-blocks.ts'

/**
 * The speed of batches with fewer tokens is not measured, because much of their time goes to other
 * work.
 */
const MEASURED_TOKENS_MIN = 64
/** Other requests that one may wait for, one after the other. */
const WAITS_MAX = 4

export interface PrefixCacheParts {
  readonly names: BlockNames
  readonly l1: NearPrefixStore
  /** Null without Redis. */
  readonly l2: PrefixStore | null
  readonly cost: CostModel
  readonly tokenBytes: number
  /** Milliseconds of a clock that only goes forward. */
  readonly nowMs: () => number
  readonly onFailure: (what: string, error: unknown) => void
}

/** What blocks are copied out of. */
export type KeptSequence = Pick<EngineSequence, 'readBlocks'>

/**
 * What a request that computes a prompt does for those that come after it. It has one owner at a
 * time, who has to `end` it or hand it on (see `scheduling/sequences/sequence-pool.ts`): until then
 * others may wait for it.
 */
export interface PrefixWork {
  readonly chain: Chain
  readonly flight: Flight
  /** The word given to the other workers that this one computes the rest. */
  readonly claim: PrefixClaim | null
  /** Settles when what was kept so far is where other workers find it. */
  written: Promise<void>
}

export interface Finding {
  /**
   * Leading blocks of the prompt: none when the sequence holds as many tokens. Of the last one only
   * the beginning may be the prompt's.
   */
  readonly blocks: readonly PrefixBlock[]
  /** Leading tokens of the prompt that these blocks, or the sequence, hold. */
  readonly tokens: number
  /** Those of them that did not come from Redis. */
  readonly nearTokens: number
  readonly work: PrefixWork
}

export class PrefixCache {
  readonly counts = new CacheCounts()
  readonly #parts: PrefixCacheParts
  readonly #flights = new Flights()
  readonly #shared: SharedBlocks | null

  constructor(parts: PrefixCacheParts) {
    this.#parts = parts
    const { l1: near, l2: store } = parts
    this.#shared =
      store === null ? null : new SharedBlocks({ ...parts, near, store, counts: this.counts })
  }

  get tiers(): readonly { readonly tier: 'l1' | 'l2'; readonly store: PrefixStore }[] {
    const { l1, l2 } = this.#parts
    const near = { tier: 'l1' as const, store: l1 }
    return l2 === null ? [near] : [near, { tier: 'l2', store: l2 }]
  }

  /** 0 when the model's memory cannot be taken apart, or the cache is switched off. */
  get tokenBytes(): number {
    return this.#parts.tokenBytes
  }

  /** Whether this worker's memory has room for blocks. */
  get keepsBlocks(): boolean {
    return this.#parts.l1.usage().bytesMax > 0
  }

  state(): StateResponse['cache'] {
    const { lookups, hits, reusedTokens, waits, notWorthFetching } = this.counts
    const { restoreFailures, answerTokensRead } = this.counts
    const { l1, l2 } = this.#parts
    return {
      lookups,
      hits,
      reusedTokens,
      waits,
      notWorthFetching,
      restoreFailures,
      answerTokensRead,
      l1: l1.usage(),
      l2: l2?.usage() ?? null,
    }
  }

  chain(tenant: string, tokens: readonly number[]): Chain {
    return this.#parts.names.chain(tenant, tokens)
  }

  /**
   * @param live how many leading tokens the chosen sequence holds already
   * @param signal ends all waiting; what was found by then is returned
   */
  async lookUp(chain: Chain, live: number, signal: AbortSignal): Promise<Finding> {
    if (chain.names.length > 0) this.counts.lookups += 1
    const { near, flight } = await this.#begin(chain, live, signal)
    const begun = this.#begunBehind(chain, near)
    const nearTokens = tokensOf(chain, near.length) + (begun?.sharedTokens ?? 0)
    const { blocks, claim } = await this.#goOn(chain, Math.max(live, nearTokens), near, signal)
    flight.arrive(blocks.length)
    const work = { chain, flight, claim, written: Promise.resolve() }
    const tokens = tokensOf(chain, blocks.length)
    if (tokens > Math.max(live, nearTokens)) {
      return { blocks, tokens, nearTokens: tokensOf(chain, near.length), work }
    }
    if (nearTokens <= live) return { blocks: [], tokens: live, nearTokens: live, work }
    const all = begun === undefined ? near : [...near, begun.block]
    return { blocks: all, tokens: nearTokens, nearTokens, work }
  }

  /** Logs something that went wrong and costs nobody an answer. */
  failed(what: string, error: unknown): void {
    this.#parts.onFailure(what, error)
  }

  /** A chunk of a prompt was computed: its tokens, and the milliseconds that it took. */
  computed(tokens: number, ms: number): void {
    if (tokens >= MEASURED_TOKENS_MIN) this.#parts.cost.computed(tokens, ms)
  }

  /** Blocks that could not be put into a sequence are of no use to anybody. */
  async removeUnusable(blocks: readonly PrefixBlock[], error: unknown): Promise<void> {
    this.counts.restoreFailures += 1
    this.#parts.onFailure('failed to restore cached blocks, computing the prompt', error)
    for (const { store } of this.tiers) {
      for (const { name } of blocks.toReversed()) await store.remove(name)
    }
  }

  /**
   * Whether what was computed has to be copied out before the request goes on.
   *
   * @param blocks how many leading blocks the sequence holds
   */
  isAwaited({ flight, claim }: PrefixWork, blocks: number, promptDone: boolean): boolean {
    return flight.isAwaited(blocks) || (promptDone && claim !== null)
  }

  /** Keeps the first `blocks` blocks of the prompt, which the sequence holds. Never rejects. */
  async keep(work: PrefixWork, blocks: number, sequence: KeptSequence): Promise<void> {
    const { chain, flight } = work
    const names = chain.names.slice(0, blocks)
    let unkept: readonly PrefixBlock[] = []
    try {
      unkept = await this.#copyOut(chain, names, sequence)
    } catch (error) {
      this.#parts.onFailure('failed to copy blocks for the prefix cache', error)
    }
    flight.arrive(blocks)
    if (this.#shared !== null) work.written = this.#shared.write(chain.tenant, names, unkept)
  }

  /**
   * The prompt is computed as far as it will be, and its first `blocks` blocks can be copied out:
   * whoever needs them waits for that.
   *
   * @param onAwaited called when somebody does
   * @returns the work that is there from now on in place of this one
   */
  offer(work: PrefixWork, blocks: number, onAwaited: () => void): PrefixWork {
    this.#flights.end(work.flight)
    const flight = this.#flights.begin(work.chain.names.slice(0, blocks), 0)
    flight.onAwaited = onAwaited
    return { ...work, flight }
  }

  /** The owner's last word: nothing more of the prompt can be had. */
  end({ flight, claim, written }: PrefixWork): void {
    this.#flights.end(flight)
    if (claim !== null) void written.then(() => claim.release())
  }

  /** The work of a prompt that was computed before, and for which nobody waits any more. */
  again(chain: Chain): PrefixWork {
    const { names } = chain
    const flight = this.#flights.begin(names, names.length)
    return { chain, flight, claim: null, written: Promise.resolve() }
  }

  /** Starts a flight with the blocks in memory, once nobody else computes the next missing one. */
  async #begin(
    chain: Chain,
    live: number,
    signal: AbortSignal,
  ): Promise<{ near: readonly PrefixBlock[]; flight: Flight }> {
    const { names } = chain
    for (let waits = 0; ; waits += 1) {
      const near = await this.#parts.l1.get(names)
      const have = Math.max(blocksOf(chain, live), near.length)
      // Nothing is awaited from here to the return, so that of two requests that look one sees the
      // other.
      const ahead = this.#flights.of(names[have])
      if (ahead === undefined || waits === WAITS_MAX || signal.aborted) {
        return { near, flight: this.#flights.begin(names, have) }
      }
      this.counts.waits += 1
      await ahead.whenArrived(sharedLength(names, ahead.names), signal)
    }
  }

  async #goOn(
    chain: Chain,
    live: number,
    near: readonly PrefixBlock[],
    signal: AbortSignal,
  ): ReturnType<SharedBlocks['goOn']> {
    const nearOnly = { blocks: near, claim: null }
    if (this.#shared === null) return nearOnly
    try {
      return await this.#shared.goOn(chain, live, near, signal)
    } catch (error) {
      // Stores promise not to reject; a defect of one must cost nobody an answer.
      this.#parts.onFailure('failed to look up shared blocks', error)
      return nearOnly
    }
  }

  /** A block of another prompt that begins with what follows here, where that can be cut. */
  #begunBehind(chain: Chain, near: readonly PrefixBlock[]): BegunBlock | undefined {
    const last = near.at(-1)
    if (last === undefined || chain.cutTokens > 1) return undefined
    const [from, to] = [near.length, near.length + 1].map((blocks) => tokensOf(chain, blocks))
    return this.#parts.l1.following(last.name, chain.tokens.slice(from, to))
  }

  /** @returns the blocks that this worker's memory has no room for */
  async #copyOut(
    chain: Chain,
    names: readonly string[],
    sequence: KeptSequence,
  ): Promise<readonly PrefixBlock[]> {
    const { l1 } = this.#parts
    const there = await l1.has(names)
    if (there === names.length) return []
    if (!this.keepsBlocks && (this.#shared?.hasSeen(names) ?? true)) return []
    const copied = await sequence.readBlocks(tokensOf(chain, there), tokensOf(chain, names.length))
    const blocks = copied.map((bytes, index) => blockAt(chain, there + index, bytes))
    await l1.put(chain.tenant, blocks)
    return blocks.slice(Math.max(0, (await l1.has(names)) - there))
  }
}

function blockAt(chain: Chain, index: number, bytes: Uint8Array): PrefixBlock {
  const { names, tokens } = chain
  const ids = tokens.slice(tokensOf(chain, index), tokensOf(chain, index + 1))
  return {
    name: names[index] ?? '',
    parent: names[index - 1] ?? null,
    tokens: Int32Array.from(ids),
    bytes,
  }
}
