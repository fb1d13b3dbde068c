/**
 * The blocks in Redis as one worker uses them: fetched when that is faster than computing, compared
 * with the prompt token by token, and waited for when another worker says that it computes them.
 */
import type { PrefixBlock, PrefixClaim, PrefixStore } from '@svc/contracts/ports/prefix-store'
import { pause } from '@svc/contracts/ports/time'
import { systemTimer } from '@svc/infra/system/system-timer'
import { blocksOf, type Chain, tokensOf } from './block-names.ts'
import type { CacheCounts } from './cache-counts.ts'
import type { CostModel } from './cost-model.ts'
import { SharedWriter, type SharedWriterParts } from './shared-writer.ts'

/** Fewer tokens are computed without telling the other workers. */
const CLAIM_TOKENS_MIN = 256
const CLAIM_MS_MAX = 30_000
const POLL_MS = 25

/** What was fetched goes to this worker's memory, too. */
export interface SharedBlocksParts extends SharedWriterParts {
  readonly cost: CostModel
  readonly tokenBytes: number
  readonly counts: CacheCounts
}

export class SharedBlocks {
  readonly store: PrefixStore
  readonly #parts: SharedBlocksParts
  readonly #writer: SharedWriter

  constructor(parts: SharedBlocksParts) {
    this.#parts = parts
    this.store = parts.store
    this.#writer = new SharedWriter(parts)
  }

  /**
   * Goes on from the blocks that are near.
   *
   * @param live leading tokens that need neither be fetched nor computed
   * @returns those that are near and those that were fetched; and the claim on the rest, if this
   *   worker is the one that computes it for all
   */
  async goOn(
    chain: Chain,
    live: number,
    near: readonly PrefixBlock[],
    signal: AbortSignal,
  ): Promise<{ blocks: readonly PrefixBlock[]; claim: PrefixClaim | null }> {
    const blocks = await this.#fetch(chain, live, near, signal)
    const have = Math.max(live, tokensOf(chain, blocks.length))
    const missing = chain.reusableTokens - have
    const next = chain.names[blocksOf(chain, have)]
    if (next === undefined || missing < CLAIM_TOKENS_MIN || signal.aborted) {
      return { blocks, claim: null }
    }
    const computeMs = Math.ceil(this.#parts.cost.computeMs(missing))
    const claim = await this.store.claim(next, Math.min(CLAIM_MS_MAX, computeMs))
    if (claim !== null) return { blocks, claim }
    this.#parts.counts.waits += 1
    await this.#whileOthersCompute(chain.names.slice(blocks.length), computeMs, signal)
    return { blocks: await this.#fetch(chain, live, blocks, signal), claim: null }
  }

  /** Whether the chain is there, as far as is known: then it need not be written. */
  hasSeen(names: readonly string[]): boolean {
    return this.#writer.hasSeen(names)
  }

  /**
   * Resolves when the blocks were written, or given up.
   *
   * @param unkept consecutive blocks of the chain that this worker's memory has not kept
   */
  write(tenant: string, names: readonly string[], unkept: readonly PrefixBlock[]): Promise<void> {
    return this.#writer.write(tenant, names, unkept)
  }

  async #fetch(
    chain: Chain,
    live: number,
    near: readonly PrefixBlock[],
    signal: AbortSignal,
  ): Promise<readonly PrefixBlock[]> {
    const { cost, nowMs, counts, tokenBytes } = this.#parts
    const missing = chain.names.slice(near.length)
    const there = missing.length === 0 ? 0 : await this.store.has(missing)
    const nearTokens = tokensOf(chain, near.length)
    const thereTokens = tokensOf(chain, near.length + there)
    const tokens = thereTokens - Math.max(live, nearTokens)
    if (tokens <= 0 || signal.aborted) return near
    if (!cost.isWorthFetching((thereTokens - nearTokens) * tokenBytes, tokens)) {
      counts.notWorthFetching += 1
      return near
    }
    const begunMs = nowMs()
    const deadline = AbortSignal.timeout(cost.fetchDeadlineMs(tokens))
    const ended = AbortSignal.any([signal, deadline])
    const got = await this.store.get(missing.slice(0, there), ended)
    const bytes = got.reduce((sum, block) => sum + block.bytes.byteLength, 0)
    if (bytes > 0) cost.fetched(bytes, nowMs() - begunMs)
    const right = await this.#compared(chain, near.length, got)
    await this.#parts.near.put(chain.tenant, right)
    this.#writer.saw(missing.slice(0, right.length))
    return [...near, ...right]
  }

  /** The blocks that are what the prompt has there; the first that is not, ends them. */
  async #compared(
    chain: Chain,
    from: number,
    blocks: readonly PrefixBlock[],
  ): Promise<readonly PrefixBlock[]> {
    const { names, tokens } = chain
    const isRight = (block: PrefixBlock, index: number) => {
      const begin = tokensOf(chain, from + index)
      const count = tokensOf(chain, from + index + 1) - begin
      return (
        block.bytes.length === count * this.#parts.tokenBytes &&
        block.name === names[from + index] &&
        block.parent === (names[from + index - 1] ?? null) &&
        block.tokens.length === count &&
        block.tokens.every((token, at) => token === tokens[begin + at])
      )
    }
    const wrong = blocks.findIndex((block, index) => !isRight(block, index))
    if (wrong === -1) return blocks
    const name = names[from + wrong]
    if (name !== undefined) await this.store.remove(name)
    return blocks.slice(0, wrong)
  }

  /**
   * Waits until no more of these blocks come, at most as long as computing them here would take.
   */
  async #whileOthersCompute(
    names: readonly string[],
    forMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { nowMs } = this.#parts
    const until = nowMs() + forMs
    let before = 0
    while (nowMs() < until && !signal.aborted) {
      // The signal ends the pause, and the loop then.
      await pause(systemTimer, POLL_MS, signal)
      const there = await this.store.has(names)
      // No more blocks come behind the place where two prompts part.
      if (there === names.length || (there > 0 && there === before)) return
      before = there
    }
  }
}
