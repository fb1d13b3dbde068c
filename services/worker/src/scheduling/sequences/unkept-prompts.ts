/**
 * When the prompt that an idle sequence holds is copied out for later ones.
 *
 * The next turn of a conversation comes milliseconds after the answer and takes the sequence as it
 * is. To copy the prompt out first would take longer than to answer it. So it stays where it is:
 *
 *     answer over ──▶ unkept ──continued by the next prompt──▶ taken over, kept with that one
 *                       │
 *                       ├──somebody waits for it, or the sequence is to hold another────┐
 *                       └──nothing else is computed for a moment, or 2 s have passed────┴──▶ kept
 *
 * Of prompts that were taken over only their last blocks are left to keep: the rest of them is in
 * the blocks of the one that goes on. The trade: what is unkept is lost with the worker, and other
 * workers find it up to two seconds later, unless they were told to wait for it.
 */
import type { Timer } from '@svc/contracts/ports/time'
import type { EngineSequence, SequenceCopy } from '../../engines/engine.ts'
import type { PrefixCache, PrefixWork } from '../../prefix-cache/prefix-cache.ts'
import type { BatchTurns } from '../batches/batch-turns.ts'

/**
 * Unkept prompts that one sequence may hold. Whoever continues more of them waits until they are
 * kept.
 */
export const UNKEPT_PROMPTS_MAX = 8
/**
 * Milliseconds after an answer until its prompts are copied out. Agents and scripts have sent the
 * next turn by then.
 */
const LOOK_MS = 100
/** How often it looks again while other answers are computed. */
const LOOKS_MAX = 20

/** A prompt, and how many of its leading blocks a sequence holds. */
export interface UnkeptPrompt {
  readonly work: PrefixWork
  readonly blocks: number
}

export interface UnkeptPromptsParts {
  readonly cache: PrefixCache
  readonly batchTurns: BatchTurns
  readonly timer: Timer
  /** Whether a request has any of the model's sequences. */
  readonly isBusy: () => boolean
  /** The one that holds the prompts. */
  readonly sequence: () => EngineSequence
}

/** Why they are copied out now. */
export interface KeepingOptions {
  /** The tenant of a request that waits for the sequence: it is done at this one's turn. */
  readonly waiting?: string
  /**
   * A copy of the sequence, so that no other need be made. Whoever made it releases it when all is
   * kept.
   */
  readonly copy?: SequenceCopy | undefined
}

/**
 * Prompts of one idle sequence that nobody has copied out yet, the newest first. What came in by
 * `receive` and did not leave by `handOver` is ended here, once it is kept.
 */
export class UnkeptPrompts {
  readonly #parts: UnkeptPromptsParts
  #prompts: readonly UnkeptPrompt[] = []
  #copied: Promise<void> = Promise.resolve()
  #kept: Promise<void> = Promise.resolve()
  #cancelLook: () => void = () => {}

  constructor(parts: UnkeptPromptsParts) {
    this.#parts = parts
  }

  get isFull(): boolean {
    return this.#prompts.length >= UNKEPT_PROMPTS_MAX
  }

  /** Settles when the sequence is in use for no copy. Never rejects. */
  get copied(): Promise<void> {
    return this.#copied
  }

  /** Settles when all that was to be kept by now is where others find it. Never rejects. */
  get kept(): Promise<void> {
    return this.#kept
  }

  /**
   * The answer is over, and the sequence can be lent. The prompts are owned here from now on.
   *
   * @param prompts what it holds of its own prompt and of those that were taken over, newest first
   */
  receive(prompts: readonly UnkeptPrompt[], copy?: SequenceCopy): void {
    const { cache } = this.#parts
    const held = prompts.filter(({ blocks }) => blocks > 0)
    for (const prompt of prompts) if (!held.includes(prompt)) cache.end(prompt.work)
    const isDue = held.some(({ work, blocks }) => cache.isAwaited(work, blocks, true))
    if (isDue || copy !== undefined) {
      this.#prompts = held
      void this.keep({ copy })
      return
    }
    const own = held.filter((prompt, at) => !held.slice(0, at).some((one) => covers(one, prompt)))
    for (const prompt of held) if (!own.includes(prompt)) cache.end(prompt.work)
    const onAwaited = () => void this.keep()
    this.#prompts = own.map(({ work, blocks }) => {
      return { work: cache.offer(work, blocks, onAwaited), blocks }
    })
    if (own.length > 0) this.#look(LOOKS_MAX)
  }

  /** The caller owns them from now on, and keeps and ends them. */
  handOver(): readonly UnkeptPrompt[] {
    this.#cancelLook()
    const prompts = this.#prompts
    this.#prompts = []
    for (const { work } of prompts) work.flight.onAwaited = () => {}
    return prompts
  }

  /**
   * Copies out what there is.
   *
   * @returns a promise that settles when the sequence is in use no more; its blocks are taken out
   *   of the copy beside what comes next
   */
  keep(options: KeepingOptions = {}): Promise<void> {
    const prompts = this.handOver()
    if (prompts.length > 0) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#copied = options.copy === undefined ? promise : Promise.resolve()
      // One copy of a sequence at a time: together they take at most the size of the model's
      // memory.
      this.#kept = this.#kept.then(() => this.#keep(prompts, options, resolve))
    }
    return this.#copied
  }

  async #keep(
    prompts: readonly UnkeptPrompt[],
    { waiting, copy: given }: KeepingOptions,
    onCopied: () => void,
  ): Promise<void> {
    const { cache, batchTurns } = this.#parts
    const sequence = this.#parts.sequence()
    let own: Promise<SequenceCopy> | undefined
    for (const { work, blocks } of prompts) {
      const { tenant } = work.chain
      const readBlocks: SequenceCopy['readBlocks'] = async (from, to) => {
        if (given !== undefined) return await given.readBlocks(from, to)
        own ??= batchTurns.alone(tenant, () => sequence.copy(), waiting).finally(onCopied)
        return await (await own).readBlocks(from, to)
      }
      await cache.keep(work, blocks, { readBlocks })
      cache.end(work)
    }
    onCopied()
    await own?.then(
      (copy) => copy.release(),
      () => {},
    )
  }

  #look(left: number): void {
    this.#cancelLook = this.#parts.timer.after(LOOK_MS, () => {
      if (left > 1 && this.#parts.isBusy()) this.#look(left - 1)
      else void this.keep()
    })
  }
}

/** Whether all blocks of one are blocks of the other. */
function covers(one: UnkeptPrompt, other: UnkeptPrompt): boolean {
  const last = other.blocks - 1
  return one.blocks > last && one.work.chain.names[last] === other.work.chain.names[last]
}
