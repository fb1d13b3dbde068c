/**
 * The model's sequences, and how each is filled for the next prompt.
 *
 * A sequence keeps its last prompt in the model's memory. The next request of the SAME tenant that
 * starts with the same blocks need not compute them again; other blocks come from the prefix cache.
 * Only whole blocks of 128 tokens count, and only those that were computed as chunks of a prompt.
 *
 *     idle ──lend────▶ lent ──giveBack──▶ idle, with the prompt's whole blocks live
 *      │                ├─────putAside──▶ idle likewise; all it held is kept for its request
 *      └────takeUp────▶ │
 *                       └─────discard───▶ a new, empty sequence (its state was in doubt)
 */
import { BLOCK_TOKENS } from '@svc/contracts/ports/prefix-store'
import type { StateResponse } from '@svc/contracts/worker/protocol'
import type { Engine, EngineSequence, SequenceCopy } from '../engines/engine.ts'
import { sharedLength } from '../prefix-cache/block-names.ts'
import type { Finding, PrefixCache, PrefixWork } from '../prefix-cache/prefix-cache.ts'
import { BatchTurns } from './batch-turns.ts'

interface Slot {
  sequence: EngineSequence
  /** The names of the blocks that it holds: another tenant's are never the same. */
  live: readonly string[]
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
  /** Where the last of the reused blocks came from. */
  readonly source: 'none' | 'l1' | 'l2'
  /** The runtime's counter before anything was computed for this request. */
  readonly evaluatedBefore: number
  readonly work: PrefixWork
}

/** What a request that gave way goes on with. */
export interface PutAside {
  readonly copy: SequenceCopy
  readonly work: PrefixWork
  /** Leading prompt tokens that it held. */
  readonly held: number
}

/**
 * Of all that is put aside at once, outside of the model's memory. A request that finds no room
 * keeps its sequence.
 */
const PUT_ASIDE_BYTES_MAX = 1024 ** 3

export class SequencePool {
  readonly #engine: Engine
  readonly #cache: PrefixCache
  readonly #slots: Slot[]
  #uses = 0
  readonly #putAside = { total: 0, requests: 0, bytes: 0 }
  /** Whether requests can give way: it takes a model whose memory can be put back. */
  readonly canPutAside: boolean
  /** Moving what is in the model's memory stops all runs: it has its turn like a batch. */
  readonly batchTurns: BatchTurns
  /** Called when a sequence can be lent again. */
  onIdle: () => void = () => {}

  /** @param nowMs milliseconds of a clock that only goes forward */
  constructor(
    engine: Engine,
    cache: PrefixCache,
    canPutAside: boolean,
    nowMs: () => number = () => performance.now(),
  ) {
    this.canPutAside = canPutAside
    this.batchTurns = new BatchTurns(nowMs)
    this.#engine = engine
    this.#cache = cache
    this.#slots = engine.sequences.map((sequence) => ({
      sequence,
      live: [],
      lent: false,
      lastUse: 0,
    }))
  }

  get size(): number {
    return this.#slots.length
  }

  /** How often requests gave way, and what is kept outside of the model's memory for them now. */
  get putAsideCounts(): StateResponse['putAside'] {
    return { ...this.#putAside }
  }

  get idle(): number {
    return this.#slots.filter((slot) => !slot.lent).length
  }

  /**
   * Lends the idle sequence that saves the most work, holding what of the prompt need not be
   * computed.
   *
   * @param signal ends the waiting for others who compute the same
   * @throws Error when no sequence is idle
   */
  async lend(tenant: string, prompt: readonly number[], signal: AbortSignal): Promise<Loan> {
    const chain = this.#cache.chain(tenant, prompt)
    const slot = this.#choose(chain.names)
    const live = sharedLength(slot.live, chain.names)
    this.#occupy(slot)
    const finding = await this.#cache.lookUp(chain, live, signal)
    return (await this.#fill(slot, live, finding)) ?? (await this.#renew(slot, finding.work))
  }

  /** Lends an idle sequence that holds nothing and whose prompt nobody else will use. */
  async lendEmpty(): Promise<Loan> {
    return await this.lend('', [], new AbortController().signal)
  }

  /** The sequence holds `tokens` leading tokens of the prompt; `chunk` of them took `ms`. */
  async computed(loan: Loan, chunk: number, tokens: number, ms: number): Promise<void> {
    this.#cache.computed(chunk, ms)
    await this.#keepAwaited(loan, wholeBlocks(tokens), false)
  }

  /** All of the prompt but its last token is computed. */
  promptComputed(loan: Loan): Promise<void> {
    return this.#keepAwaited(loan, loan.work.chain.names.length, true)
  }

  /** Another request waits for blocks of this one, which is in its answer: it gets them now. */
  shareAwaited(loan: Loan): Promise<void> {
    return this.#keepAwaited(loan, loan.work.chain.names.length, false)
  }

  /**
   * Its blocks are kept for later prompts before the sequence is lent again.
   *
   * @param computedTokens how many leading tokens of the prompt it holds from prompt chunks
   * @returns a promise that resolves when the sequence can be lent again
   */
  giveBack(loan: Loan, computedTokens: number): Promise<void> {
    const { work, sequence } = loan
    const slot = this.#slotOf(loan)
    const blocks = Math.min(wholeBlocks(computedTokens), work.chain.names.length)
    const kept = blocks === 0 ? Promise.resolve() : this.#keep(work, blocks, sequence)
    return kept.then(() => {
      this.#cache.end(work)
      slot.live = work.chain.names.slice(0, blocks)
      slot.lent = false
      this.onIdle()
    })
  }

  /**
   * Keeps all that the sequence holds, and gives the sequence back. It must not be in use.
   *
   * @param held leading tokens of the prompt that it holds from prompt chunks
   * @returns null when there is no room: the request still has its sequence
   */
  async putAside(loan: Loan, held: number): Promise<PutAside | null> {
    const { sequence, work } = loan
    const bytes = sequence.length * (this.#cache.blockBytes / BLOCK_TOKENS)
    if (!this.canPutAside || this.#putAside.bytes + bytes > PUT_ASIDE_BYTES_MAX) return null
    this.#putAside.bytes += bytes
    try {
      const copy = await sequence.copy()
      this.#putAside.bytes += copy.bytes - bytes
      this.#putAside.requests += 1
      this.#putAside.total += 1
      await this.giveBack(loan, held)
      return { copy, work, held }
    } catch (error) {
      this.#putAside.bytes -= bytes
      this.#cache.failed('failed to put answer aside', error)
      return null
    }
  }

  /** The request will not go on. */
  async forget({ copy }: PutAside): Promise<void> {
    this.#putAside.bytes -= copy.bytes
    this.#putAside.requests -= 1
    await copy.release()
  }

  /**
   * Lends an idle sequence that holds what was put aside; an empty one, when it cannot be put back.
   *
   * @throws Error when no sequence is idle
   */
  async takeUp(aside: PutAside): Promise<Loan> {
    const { copy, held } = aside
    const slot = this.#choose([])
    this.#occupy(slot)
    const { sequence } = slot
    // Nobody waits any more for what the request does for others: it is there, or was given up.
    const work = { ...aside.work, claim: null }
    try {
      await this.batchTurns.alone(work.chain.tenant, () => sequence.load(copy))
      if (sequence.length !== copy.tokens) throw new Error(`${sequence.length} tokens came back`)
      return {
        ...{ sequence, work, reusedTokens: held, lastBlockHash: null, source: 'none' },
        evaluatedBefore: sequence.evaluatedTokens,
      }
    } catch (error) {
      this.#cache.failed('failed to restore answer that was put aside, computing it again', error)
      return await this.#renew(slot, work)
    } finally {
      await this.forget(aside)
    }
  }

  /** The same loan, of which nothing was counted yet. */
  goOn(loan: Loan, held: number): Loan {
    return { ...loan, reusedTokens: held, evaluatedBefore: loan.sequence.evaluatedTokens }
  }

  /** Gives up the loan's sequence, whose state is in doubt, and lends an empty one instead. */
  async discard(loan: Loan): Promise<Loan> {
    return this.#renew(this.#slotOf(loan), loan.work)
  }

  async #keepAwaited({ work, sequence }: Loan, blocks: number, promptDone: boolean) {
    if (!this.#cache.isAwaited(work, blocks, promptDone)) return
    await this.#keep(work, blocks, sequence)
  }

  #keep(work: PrefixWork, blocks: number, sequence: EngineSequence): Promise<void> {
    const { tenant } = work.chain
    const readBlocks: EngineSequence['readBlocks'] = (from, to) =>
      this.batchTurns.alone(tenant, () => sequence.readBlocks(from, to))
    return this.#cache.keep(work, blocks, { readBlocks })
  }

  /** @returns undefined when the sequence could not be filled and its state is in doubt */
  async #fill(slot: Slot, live: number, finding: Finding): Promise<Loan | undefined> {
    const { sequence } = slot
    const { blocks, fetched, work } = finding
    const { tenant, tokens, names } = work.chain
    const reused = Math.max(live, blocks.length)
    const evaluatedBefore = sequence.evaluatedTokens
    try {
      const holdsIt = blocks.length === 0 && sequence.length === live * BLOCK_TOKENS
      if (!holdsIt) {
        await this.batchTurns.alone(tenant, async () => {
          if (blocks.length === 0) return await sequence.truncate(live * BLOCK_TOKENS)
          const bytes = blocks.map((block) => block.bytes)
          await sequence.restore(tokens.slice(0, reused * BLOCK_TOKENS), bytes)
        })
      }
    } catch (error) {
      await this.#cache.forget(blocks, error)
      return undefined
    }
    if (sequence.length !== reused * BLOCK_TOKENS) return undefined
    this.#cache.counts.reused(reused, fetched)
    return {
      ...{ sequence, work, evaluatedBefore },
      reusedTokens: reused * BLOCK_TOKENS,
      lastBlockHash: names[reused - 1] ?? null,
      source: reused === 0 ? 'none' : fetched > 0 ? 'l2' : 'l1',
    }
  }

  async #renew(slot: Slot, work: PrefixWork): Promise<Loan> {
    slot.sequence = await this.#engine.replace(slot.sequence)
    const { sequence } = slot
    const evaluatedBefore = sequence.evaluatedTokens
    const nothing = { reusedTokens: 0, lastBlockHash: null, source: 'none' } as const
    return { ...nothing, sequence, work, evaluatedBefore }
  }

  /** The most shared blocks; among equals one that is empty, then the one unused for longest. */
  #choose(names: readonly string[]): Slot {
    const [best] = this.#slots
      .filter((slot) => !slot.lent)
      .map((slot) => ({ slot, shared: sharedLength(slot.live, names) }))
      .toSorted(
        (a, b) =>
          b.shared - a.shared ||
          Math.sign(a.slot.live.length) - Math.sign(b.slot.live.length) ||
          a.slot.lastUse - b.slot.lastUse,
      )
    if (best === undefined) throw new Error('no sequence is idle')
    return best.slot
  }

  #occupy(slot: Slot): void {
    slot.lent = true
    slot.live = []
    this.#uses += 1
    slot.lastUse = this.#uses
  }

  #slotOf(loan: Loan): Slot {
    const slot = this.#slots.find((each) => each.sequence === loan.sequence)
    if (slot === undefined) throw new Error('the loan is not of this pool')
    return slot
  }
}

function wholeBlocks(tokens: number): number {
  return Math.floor(tokens / BLOCK_TOKENS)
}
