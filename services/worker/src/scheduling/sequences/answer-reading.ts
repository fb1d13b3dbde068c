/**
 * Reads an answer as part of a prompt, while nobody else wants the model.
 *
 * The bytes of generated tokens are not those of the same tokens in a prompt, so the next turn of a
 * conversation has to compute the last answer once more (see `prefix-cache/prefix-cache.ts`). Most
 * often a person reads the answer first, and the model has nothing to do. It does it then:
 *
 *     answer over ──▶ unread ──no request for a moment──▶ batch ──▶ batch … ──▶ read
 *                       ▲                                   │
 *                       ├───────a request comes─────────────┘
 *     the sequence is lent: its prompt goes on from what was read by then
 *
 * Nobody is charged for it. The trade: for some answers no next turn comes, and a request that
 * begins meanwhile waits for one batch, as it may have to for a prompt of another.
 */
import type { Timer } from '@svc/contracts/ports/time'
import type { Engine, EngineSequence } from '../../engines/engine.ts'
import { type Chain, sharedTokens } from '../../prefix-cache/block-names.ts'
import type { PrefixCache } from '../../prefix-cache/prefix-cache.ts'
import type { BatchTurns } from '../batches/batch-turns.ts'

/**
 * Milliseconds without a request until answers are read. Agents have sent the next turn by then.
 * Reading in any shorter gap would have the next one of many requests wait for a batch.
 */
const QUIET_MS = 100
/** How often it looks again while requests run: for ten seconds, then the answer stays unread. */
const LOOKS_MAX = 100

/** A prompt that a sequence holds, and its leading tokens that can be reused. */
export interface LivePrompt {
  readonly chain: Chain
  readonly tokens: number
}

/** An idle sequence, which holds a prompt whose answer is over. */
export interface ReadingPlace {
  readonly sequence: EngineSequence
  live: LivePrompt | null
}

export interface AnswerReadingParts {
  readonly engine: Engine
  readonly cache: PrefixCache
  readonly batchTurns: BatchTurns
  readonly timer: Timer
  /** Milliseconds since a request had any of the model's sequences; 0 while one has. */
  readonly quietMs: () => number
  readonly place: () => ReadingPlace
  /** Copies out what the sequence holds, because some of it is computed anew. Never rejects. */
  readonly keep: () => Promise<void>
  /** The sequence holds the whole prompt. */
  readonly onRead: (chain: Chain) => void
  /** Its state is in doubt. Never rejects. */
  readonly onFailure: (error: unknown) => Promise<void>
}

export class AnswerReading {
  readonly #parts: AnswerReadingParts
  /** The tokens of a prompt and its answer, until they are read or the sequence is lent. */
  #unread: readonly number[] | null = null
  #reading: Promise<void> = Promise.resolve()
  #isReading = false
  #cancelLook: () => void = () => {}

  constructor(parts: AnswerReadingParts) {
    this.#parts = parts
  }

  /** Whether the sequence is in use for this. */
  get isReading(): boolean {
    return this.#isReading
  }

  /** @param tokens of the prompt that the idle sequence holds, and of its answer */
  begin(tokens: readonly number[]): void {
    this.#unread = tokens
    this.#look(LOOKS_MAX)
  }

  /**
   * Reads no more: the sequence is lent.
   *
   * @returns a promise that settles when the sequence is in use no more. Never rejects
   */
  stop(): Promise<void> {
    this.#unread = null
    this.#cancelLook()
    return this.#reading
  }

  #look(left: number): void {
    if (left === 0) return
    const { timer, quietMs } = this.#parts
    this.#cancelLook = timer.after(QUIET_MS - quietMs(), () => {
      if (quietMs() < QUIET_MS) this.#look(left - 1)
      else this.#reading = this.#read(left - 1)
    })
  }

  async #read(left: number): Promise<void> {
    const tokens = this.#unread
    this.#isReading = true
    try {
      const isDone = await this.#readAll()
      if (tokens !== this.#unread) return
      if (isDone) this.#unread = null
      else this.#look(left)
    } catch (error) {
      this.#unread = null
      await this.#parts.onFailure(error)
    } finally {
      this.#isReading = false
    }
  }

  /** @returns false when it stopped before the end */
  async #readAll(): Promise<boolean> {
    const { engine, cache, batchTurns, quietMs, place, keep, onRead } = this.#parts
    const tokens = this.#unread
    const { live } = place()
    if (tokens === null || live === null) return true
    const chain = cache.chain(live.chain.tenant, tokens)
    let position = sharedTokens(chain, live.chain, live.tokens)
    if (position < live.tokens) await keep()
    const { batchEnd } = engine.schedule.batches[chain.kind]
    while (position < chain.reusableTokens) {
      const end = batchEnd(position, chain.reusableTokens)
      await batchTurns.alone(chain.tenant, async () => {
        if (this.#unread !== tokens || quietMs() < QUIET_MS) return
        const at = place()
        at.live = { chain, tokens: position }
        // Away go the answer as it was generated, and what was computed as another kind of prompt.
        await at.sequence.truncate(position)
        await at.sequence.prefill(tokens.slice(position, end), chain.kind)
        cache.counts.answerTokensRead += end - position
        position = end
      })
      if (position < end) return false
      // Also when the sequence was lent meanwhile: its prompt may go on from here.
      place().live = { chain, tokens: position }
      if (this.#unread !== tokens) return false
    }
    onRead(chain)
    return true
  }
}
