/**
 * The model's sequences, and what of each can serve the next prompt.
 *
 * A sequence keeps the tokens of its last prompt in the model's memory. The next request of the
 * SAME tenant that starts with the same tokens need not compute them again. Two rules keep an
 * answer independent of the cache: only whole blocks of 128 tokens count, and only blocks that
 * were computed as chunks of a prompt (a block of generated tokens has other bytes than the same
 * block prefilled). The last token of a prompt is always computed, because the first draw needs
 * its result.
 *
 *     idle ──lend──▶ lent ──giveBack──▶ idle, with the prompt's whole blocks reusable
 *                     └────discard────▶ a new, empty sequence (its state was in doubt)
 */
import type { BlockHashes } from '../prefix-cache/block-hash.ts'
import { BLOCK_TOKENS, type Engine, type EngineSequence } from './engine.ts'

interface Slot {
  sequence: EngineSequence
  /** Whose tokens the sequence holds; null when it holds none. */
  tenant: string | null
  /** The tokens of the reusable blocks. */
  reusable: readonly number[]
  lent: boolean
  /** Larger is later. */
  lastUse: number
}

/** A sequence in the hands of one request. */
export interface Loan {
  readonly sequence: EngineSequence
  /** Leading tokens of the prompt that the sequence already holds. */
  readonly reusedTokens: number
  readonly lastBlockHash: string | null
  /** The runtime's counter before anything was done for this request. */
  readonly evaluatedBefore: number
}

export class SequencePool {
  readonly #engine: Engine
  readonly #hashes: BlockHashes
  readonly #slots: Slot[]
  #uses = 0

  constructor(engine: Engine, hashes: BlockHashes) {
    this.#engine = engine
    this.#hashes = hashes
    this.#slots = engine.sequences.map((sequence) => ({
      sequence,
      tenant: null,
      reusable: [],
      lent: false,
      lastUse: 0,
    }))
  }

  get size(): number {
    return this.#slots.length
  }

  get idle(): number {
    return this.#slots.filter((slot) => !slot.lent).length
  }

  /**
   * Lends the idle sequence that saves the most work, cut back to what the prompt shares with it.
   *
   * @throws Error when none is idle
   */
  async lend(tenant: string, prompt: readonly number[]): Promise<Loan> {
    const slot = this.#choose(tenant, prompt)
    slot.lent = true
    this.#uses += 1
    slot.lastUse = this.#uses
    const reusedTokens = this.#shared(slot, tenant, prompt)
    const evaluatedBefore = slot.sequence.evaluatedTokens
    slot.tenant = null
    slot.reusable = []
    try {
      await slot.sequence.truncate(reusedTokens)
      if (slot.sequence.length === reusedTokens) {
        const blocks = reusedTokens / BLOCK_TOKENS
        const lastBlockHash = this.#hashes.lastOf(tenant, prompt, blocks)
        return { sequence: slot.sequence, reusedTokens, lastBlockHash, evaluatedBefore }
      }
    } catch {
      // A sequence that cannot be cut is replaced below: the request only loses the cache.
    }
    return this.#renew(slot)
  }

  /** @param computedTokens how many leading tokens of `prompt` were computed as prompt chunks */
  giveBack(loan: Loan, tenant: string, prompt: readonly number[], computedTokens: number): void {
    const slot = this.#slotOf(loan)
    slot.tenant = tenant
    slot.reusable = this.#engine.canReusePrefix ? prompt.slice(0, wholeBlocks(computedTokens)) : []
    slot.lent = false
  }

  /** Gives up the loan's sequence, whose state is in doubt, and lends an empty one instead. */
  async discard(loan: Loan): Promise<Loan> {
    return this.#renew(this.#slotOf(loan))
  }

  async #renew(slot: Slot): Promise<Loan> {
    slot.sequence = await this.#engine.replace(slot.sequence)
    const evaluatedBefore = slot.sequence.evaluatedTokens
    return { sequence: slot.sequence, reusedTokens: 0, lastBlockHash: null, evaluatedBefore }
  }

  /** The most shared tokens; among equals one that is empty, then the one unused for longest. */
  #choose(tenant: string, prompt: readonly number[]): Slot {
    const [best] = this.#slots
      .filter((slot) => !slot.lent)
      .map((slot) => ({ slot, shared: this.#shared(slot, tenant, prompt) }))
      .toSorted(
        (a, b) =>
          b.shared - a.shared ||
          Math.sign(a.slot.reusable.length) - Math.sign(b.slot.reusable.length) ||
          a.slot.lastUse - b.slot.lastUse,
      )
    if (best === undefined) throw new Error('no sequence is idle')
    return best.slot
  }

  #shared(slot: Slot, tenant: string, prompt: readonly number[]): number {
    if (slot.tenant !== tenant) return 0
    const most = Math.min(slot.reusable.length, prompt.length - 1)
    let equal = 0
    while (equal < most && slot.reusable[equal] === prompt[equal]) equal += 1
    return wholeBlocks(equal)
  }

  #slotOf(loan: Loan): Slot {
    const slot = this.#slots.find((each) => each.sequence === loan.sequence)
    if (slot === undefined) throw new Error('the loan is not of this pool')
    return slot
  }
}

function wholeBlocks(tokens: number): number {
  return Math.floor(tokens / BLOCK_TOKENS) * BLOCK_TOKENS
}
