/**
 * The model's sequences, and how each is filled for the next prompt.
 *
 * A sequence keeps its last prompt in the model's memory. The next request of the SAME tenant that
 * starts with the same tokens need not compute them again; other blocks come from the prefix cache.
 * Only what was computed in batches of a prompt counts, as far as the schedule lets it be cut.
 *
 *     idle ──lend────▶ lent ──giveBack──▶ idle, with the prompt live, and kept when there is time
 *      │                ├─────putAside──▶ idle likewise; a copy of what it held is left
 *      └────resume────▶ │
 *                       └─────discard───▶ a new, empty sequence (its state was in doubt)
 *
 * For each prompt others may wait until its work is ended. Its one owner does that:
 *
 *     lend ──▶ the loan ──giveBack, putAside──▶ the idle sequence ──kept──▶ ended
 *                 ▲                                │
 *                 └──lend: the next prompt goes on─┘ (`takenOver`)
 *
 * To keep a prompt is to copy its blocks out to where later prompts find them. When that is done:
 * `unkept-prompts.ts`.
 */
import type { PrefixBlock } from '@svc/contracts/ports/prefix-store'
import type { Timer } from '@svc/contracts/ports/time'
import { systemTimer } from '@svc/infra/system/system-timer'
import type { Engine, EngineSequence } from '../../engines/engine.ts'
import { blocksOf, type Chain } from '../../prefix-cache/block-names.ts'
import type { Finding, PrefixCache, PrefixWork } from '../../prefix-cache/prefix-cache.ts'
import { BatchTurns } from '../batches/batch-turns.ts'
import { AnswerReading, type LivePrompt } from './answer-reading.ts'
import { type Loan, NOTHING_HELD, promptsOf } from './loan.ts'
import { type PutAside, PutAsideCopies } from './put-aside-copies.ts'
import { bestSlot, liveTokens, type Slot } from './slot.ts'
import { UnkeptPrompts } from './unkept-prompts.ts'

export interface SequencePoolParts {
  readonly engine: Engine
  readonly cache: PrefixCache
  /** Whether requests can give way: it takes a model whose memory can be put back. */
  readonly canPutAside: boolean
  /** Whether answers are read while the model has nothing else to do. */
  readonly readsAnswers: boolean
  /** Milliseconds of a clock that only goes forward. */
  readonly nowMs: () => number
  readonly timer?: Timer
}

export class SequencePool {
  readonly #parts: SequencePoolParts
  readonly #cache: PrefixCache
  readonly #slots: Slot[]
  #uses = 0
  /** When a request gave a sequence back last. */
  #lastBusyMs = Number.NEGATIVE_INFINITY
  /** Of the sequences of requests that gave way. */
  readonly copies = new PutAsideCopies()
  /** Moving what is in the model's memory stops all runs: it has its turn like a batch. */
  readonly batchTurns: BatchTurns

  constructor(parts: SequencePoolParts) {
    this.#parts = parts
    this.#cache = parts.cache
    this.batchTurns = new BatchTurns(parts.nowMs)
    this.#slots = parts.engine.sequences.map((sequence) => this.#newSlot(sequence))
  }

  get canPutAside(): boolean {
    return this.#parts.canPutAside
  }

  get size(): number {
    return this.#slots.length
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
    const slot = this.#choose(chain)
    const held = await this.#occupy(slot)
    const live = liveTokens(held, chain)
    const goesOn = live === held?.tokens && !slot.unkept.isFull
    let finding: Finding | undefined
    try {
      if (!goesOn) await slot.unkept.keep({ waiting: tenant })
      finding = await this.#cache.lookUp(chain, live, signal)
      return (await this.#fill(slot, finding)) ?? (await this.#renew(slot, finding.work))
    } catch (error) {
      if (finding !== undefined) this.#cache.end(finding.work)
      slot.lent = false
      throw error
    }
  }

  /** Lends an idle sequence that holds nothing and whose prompt nobody else will use. */
  async lendEmpty(): Promise<Loan> {
    return await this.lend('', [], new AbortController().signal)
  }

  /** The sequence holds `tokens` leading tokens of the prompt; `chunk` of them took `ms`. */
  async computed(loan: Loan, chunk: number, tokens: number, ms: number): Promise<void> {
    this.#cache.computed(chunk, ms)
    await this.#keepAwaited(loan, tokens, false)
  }

  /** All of the prompt but its last token is computed. */
  promptComputed(loan: Loan): Promise<void> {
    return this.#keepAwaited(loan, loan.work.chain.reusableTokens, true)
  }

  /**
   * Another request waits for blocks of this one, which is in its answer: it gets them now.
   *
   * @param computedTokens how many leading tokens of the prompt the sequence holds
   */
  shareAwaited(loan: Loan, computedTokens: number): Promise<void> {
    return this.#keepAwaited(loan, computedTokens, false)
  }

  /** @param call called when another request begins to wait for blocks of this one */
  onAwaited({ work, takenOver }: Loan, call: () => void): void {
    for (const { flight } of [work, ...takenOver.map((prompt) => prompt.work)]) {
      flight.onAwaited = call
    }
  }

  /**
   * The sequence can be lent again at once. Its blocks are kept for later prompts.
   *
   * @param computedTokens how many leading tokens of the prompt it holds from prompt chunks
   * @param answer that a next turn may go on from
   */
  giveBack(loan: Loan, computedTokens: number, answer: readonly number[] = []): void {
    const { reading, unkept, live } = this.#takeBack(loan, computedTokens)
    const { tokens, reusableTokens } = loan.work.chain
    const isWhole = answer.length > 0 && live?.tokens === reusableTokens
    // It looks first, so that prompt and answer are copied out together.
    if (this.#parts.readsAnswers && isWhole) reading.begin([...tokens, ...answer])
    unkept.receive(promptsOf(loan, computedTokens))
  }

  /** Settles when nothing is computed for later requests any more. */
  async stopReading(): Promise<void> {
    await Promise.all(this.#slots.map(({ reading }) => reading.stop()))
  }

  #takeBack(loan: Loan, computedTokens: number): Slot {
    const slot = this.#slotOf(loan)
    const { chain } = loan.work
    const tokens = Math.min(computedTokens, chain.reusableTokens)
    slot.live = tokens === 0 ? null : { chain, tokens }
    slot.lent = false
    this.#lastBusyMs = this.#parts.nowMs()
    return slot
  }

  /**
   * Keeps all that the sequence holds, and gives the sequence back. It must not be in use.
   *
   * @param held leading tokens of the prompt that it holds from prompt chunks
   * @returns null when there is no room: the request still has its sequence
   */
  async putAside(loan: Loan, held: number): Promise<PutAside | null> {
    const { sequence, work } = loan
    if (!this.canPutAside) return null
    try {
      return await this.copies.make(sequence, this.#cache.tokenBytes, (copy) => {
        const { unkept } = this.#takeBack(loan, held)
        unkept.receive(promptsOf(loan, held), copy)
        return { copy, kept: unkept.kept, chain: work.chain, held }
      })
    } catch (error) {
      this.#cache.failed('failed to put answer aside', error)
      return null
    }
  }

  /**
   * Lends an idle sequence that holds what was put aside; an empty one, when it cannot be put back.
   *
   * @throws Error when no sequence is idle
   */
  async resume(aside: PutAside): Promise<Loan> {
    const { copy, held, chain } = aside
    const slot = this.#choose(null)
    await this.#occupy(slot)
    const { sequence } = slot
    // What the request did for others is there, or was given up.
    const work = this.#cache.again(chain)
    await slot.unkept.keep({ waiting: chain.tenant })
    try {
      await this.batchTurns.alone(chain.tenant, () => sequence.load(copy))
      if (sequence.length !== copy.tokens) throw new Error(`${sequence.length} tokens came back`)
      return {
        ...NOTHING_HELD,
        sequence,
        work,
        reusedTokens: held,
        evaluatedBefore: sequence.evaluatedTokens,
      }
    } catch (error) {
      this.#cache.failed('failed to restore answer that was put aside, computing it again', error)
      return await this.#renew(slot, work).catch((failure) => {
        slot.lent = false
        throw failure
      })
    } finally {
      await this.copies.drop(aside)
    }
  }

  /** Makes the same loan anew, of which nothing was counted yet. */
  goOn(loan: Loan, held: number): Loan {
    return { ...loan, reusedTokens: held, evaluatedBefore: loan.sequence.evaluatedTokens }
  }

  /** Gives up the loan's sequence, whose state is in doubt, and lends an empty one instead. */
  async discard(loan: Loan): Promise<Loan> {
    for (const { work } of loan.takenOver) this.#cache.end(work)
    return this.#renew(this.#slotOf(loan), loan.work)
  }

  async #keepAwaited(loan: Loan, computedTokens: number, promptDone: boolean): Promise<void> {
    const { sequence } = loan
    for (const { work, blocks } of promptsOf(loan, computedTokens)) {
      if (!this.#cache.isAwaited(work, blocks, promptDone)) continue
      const readBlocks: EngineSequence['readBlocks'] = async (from, to) => {
        const copy = await this.batchTurns.alone(work.chain.tenant, () => sequence.copy())
        return await copy.readBlocks(from, to).finally(() => copy.release())
      }
      await this.#cache.keep(work, blocks, { readBlocks })
    }
  }

  /** @returns undefined when the sequence could not be filled and its state is in doubt */
  async #fill(slot: Slot, finding: Finding): Promise<Loan | undefined> {
    const { sequence } = slot
    const { blocks, tokens: reused, nearTokens, work } = finding
    const { chain } = work
    const { tenant, names } = chain
    // Somebody may have waited for what it holds until now.
    await (blocks.length > 0 ? slot.unkept.keep({ waiting: tenant }) : slot.unkept.copied)
    const evaluatedBefore = sequence.evaluatedTokens
    try {
      if (blocks.length > 0) await this.#load(tenant, sequence, blocks, reused)
      else if (sequence.length !== reused) {
        await this.batchTurns.alone(tenant, () => sequence.truncate(reused))
      }
    } catch (error) {
      await this.#cache.removeUnusable(blocks, error)
      return undefined
    }
    if (sequence.length !== reused) return undefined
    this.#cache.counts.reused(reused, nearTokens)
    const reusedBlocks = blocksOf(chain, reused)
    return {
      sequence,
      work,
      evaluatedBefore,
      reusedTokens: reused,
      reusedBlocks,
      takenOver: slot.unkept.handOver(),
      lastBlockHash: names[reusedBlocks - 1] ?? null,
      source: reused === 0 ? 'none' : reused > nearTokens ? 'l2' : 'l1',
    }
  }

  async #load(
    tenant: string,
    sequence: EngineSequence,
    blocks: readonly PrefixBlock[],
    reused: number,
  ): Promise<void> {
    const copy = await sequence.copyOf(
      blocks.flatMap(({ tokens }) => [...tokens]),
      blocks.map(({ bytes }) => bytes),
    )
    const loaded = this.batchTurns.alone(tenant, async () => {
      await sequence.load(copy)
      await sequence.truncate(reused)
    })
    await loaded.finally(() => copy.release())
  }

  async #renew(slot: Slot, work: PrefixWork): Promise<Loan> {
    const sequence = await this.#replace(slot)
    const evaluatedBefore = sequence.evaluatedTokens
    return { ...NOTHING_HELD, sequence, work, evaluatedBefore }
  }

  async #replace(slot: Slot): Promise<EngineSequence> {
    for (const lost of slot.unkept.handOver()) this.#cache.end(lost.work)
    slot.sequence = await this.#parts.engine.replace(slot.sequence)
    return slot.sequence
  }

  #choose(chain: Chain | null): Slot {
    const idle = this.#slots.filter((slot) => !slot.lent)
    const best = bestSlot(idle, chain, this.#cache.keepsBlocks)
    if (best === undefined) throw new Error('no sequence is idle')
    return best
  }

  #newSlot(sequence: EngineSequence): Slot {
    const { engine, cache, nowMs, timer = systemTimer } = this.#parts
    const { batchTurns } = this
    const isBusy = () => this.idle < this.size
    const quietMs = () => (isBusy() ? 0 : nowMs() - this.#lastBusyMs)
    const unkept: UnkeptPrompts = new UnkeptPrompts({
      cache,
      batchTurns,
      timer,
      isBusy: () => isBusy() || reading.isReading,
      sequence: () => slot.sequence,
    })
    const reading = new AnswerReading({
      engine,
      cache,
      batchTurns,
      timer,
      quietMs,
      place: () => slot,
      keep: () => unkept.keep(),
      onRead: (chain) => {
        const read = { work: cache.again(chain), blocks: chain.names.length }
        unkept.receive([read, ...unkept.handOver()])
      },
      onFailure: async (error) => {
        cache.failed('failed to read answer ahead', error)
        slot.live = null
        await this.#replace(slot).catch((failure) =>
          cache.failed('failed to renew sequence', failure),
        )
      },
    })
    const slot: Slot = { sequence, live: null, reading, unkept, lent: false, lastUse: 0 }
    return slot
  }

  /** @returns what the sequence holds, once it is in use no more for that. Never rejects */
  async #occupy(slot: Slot): Promise<LivePrompt | null> {
    slot.lent = true
    this.#uses += 1
    slot.lastUse = this.#uses
    await slot.reading.stop()
    const { live } = slot
    slot.live = null
    return live
  }

  #slotOf(loan: Loan): Slot {
    const slot = this.#slots.find((each) => each.sequence === loan.sequence)
    if (slot === undefined) throw new Error('the loan is not of this pool')
    return slot
  }
}
