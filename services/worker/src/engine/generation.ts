/**
 * One request on one sequence, from its prompt to its last token.
 *
 * The prompt is computed in chunks that end at multiples of 128, its last token alone: so the
 * model's memory of a block depends on the tokens only, and an answer does not depend on what was
 * cached. Between chunks and between tokens the request looks whether it was interrupted.
 *
 *     prompt chunks ──▶ last prompt token ──▶ token ──▶ token … ──▶ ending
 *
 * When the runtime fails, it fails every sequence of the batch and does not say whose fault it
 * was. Each of them therefore gets a new sequence and one more attempt, in batches of its own: an
 * innocent request goes on where it was, the guilty one fails again and ends with an error.
 */
import type { GenerateEvent, GenerateRequest } from '@svc/contracts/worker-protocol'
import type { AnswerStep, AnswerText } from '../prompt/answer-text.ts'
import type { Piece } from '../prompt/thinking.ts'
import { BLOCK_TOKENS, type SamplingOptions } from './engine.ts'
import { PromptMeter } from './prompt-meter.ts'
import type { Loan, SequencePool } from './sequences.ts'

export type Interruption = 'cancelled' | 'time_limit'

export type Ending =
  | { readonly kind: 'done'; readonly reason: 'stop' | 'length'; readonly stopText: string | null }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'failed' }

export interface GenerationParts {
  readonly request: GenerateRequest
  readonly sampling: SamplingOptions
  readonly answer: AnswerText
  readonly pool: SequencePool
  readonly loan: Loan
  /** Aborted with an {@link Interruption} as its reason. */
  readonly signal: AbortSignal
  /** Waits while the client does not read, at most until the signal. Never throws. */
  readonly emit: (event: GenerateEvent) => Promise<void>
  readonly onPromptDone: () => void
  readonly onFailure: (error: unknown) => void
}

export class Generation {
  readonly #parts: GenerationParts
  readonly #meter: PromptMeter
  readonly #output: number[] = []
  #loan: Loan
  /** Leading prompt tokens that the current sequence holds from prompt chunks. */
  #chunked: number

  constructor(parts: GenerationParts) {
    this.#parts = parts
    this.#loan = parts.loan
    this.#meter = new PromptMeter(parts.loan)
    this.#chunked = parts.loan.reusedTokens
  }

  get outputTokens(): number {
    return this.#output.length
  }

  get meter(): PromptMeter {
    return this.#meter
  }

  /** Runs to the end and gives the sequence back. Failures of the runtime come as an ending. */
  async run(): Promise<Ending> {
    const { pool, request } = this.#parts
    let ending: Ending
    try {
      ending = await this.#attempt(false)
    } catch (error) {
      this.#parts.onFailure(error)
      ending = await this.#secondAttempt()
    }
    this.#meter.close(this.#loan)
    if (ending.kind !== 'failed') {
      pool.giveBack(this.#loan, request.tenant, request.tokens, this.#chunked)
    }
    return ending
  }

  async #secondAttempt(): Promise<Ending> {
    await this.#renewLoan()
    if (this.#parts.signal.aborted) return { kind: 'interrupted' }
    try {
      return await this.#attempt(true)
    } catch (error) {
      this.#parts.onFailure(error)
      await this.#renewLoan()
      this.#parts.pool.giveBack(this.#loan, this.#parts.request.tenant, [], 0)
      return { kind: 'failed' }
    }
  }

  async #renewLoan(): Promise<void> {
    this.#loan = await this.#parts.pool.discard(this.#loan)
    this.#chunked = 0
  }

  async #attempt(alone: boolean): Promise<Ending> {
    const { request, signal } = this.#parts
    const known = [...request.tokens, ...this.#output]
    const lastToken = known.at(-1)
    if (lastToken === undefined) throw new Error('the prompt is empty')
    if (!(await this.#prefill(known))) return { kind: 'interrupted' }
    const tokens = this.#loan.sequence.generate(lastToken, {
      sampling: this.#parts.sampling,
      penalised: () => this.#output,
      alone,
    })
    try {
      while (true) {
        const { value: token, done } = await tokens.next()
        this.#promptDone()
        if (done || token === undefined) return await this.#end({ reason: 'stop' })
        const ending = await this.#accept(token)
        if (ending !== undefined) return ending
        if (signal.aborted) return await this.#interrupted()
      }
    } finally {
      await tokens.return()
    }
  }

  /** @returns false when the request was interrupted */
  async #prefill(known: readonly number[]): Promise<boolean> {
    const { sequence } = this.#loan
    const promptEnd = this.#parts.request.tokens.length - 1
    let position = sequence.length
    while (position < known.length - 1) {
      if (this.#parts.signal.aborted) return false
      const boundary = (Math.floor(position / BLOCK_TOKENS) + 1) * BLOCK_TOKENS
      const end = Math.min(boundary, known.length - 1)
      await sequence.prefill(known.slice(position, end))
      position = end
      this.#chunked = Math.min(position, promptEnd)
      this.#meter.advance(this.#chunked)
    }
    return !this.#parts.signal.aborted
  }

  #promptDone(): void {
    if (this.#meter.covered === this.#parts.request.tokens.length) return
    this.#meter.advance(this.#parts.request.tokens.length)
    this.#meter.close(this.#loan)
    this.#parts.onPromptDone()
  }

  async #accept(token: number): Promise<Ending | undefined> {
    this.#output.push(token)
    const step = this.#parts.answer.push(token)
    await this.#emit(step.pieces.length === 0 ? [{ kind: 'text', text: '' }] : step.pieces)
    if (step.stopText !== null) return { kind: 'done', reason: 'stop', stopText: step.stopText }
    if (this.#output.length < this.#parts.request.maxOutputTokens) return undefined
    return await this.#end({ reason: 'length' })
  }

  async #end({ reason }: { reason: 'stop' | 'length' }): Promise<Ending> {
    const { stopText } = await this.#flush()
    return { kind: 'done', reason: stopText === null ? reason : 'stop', stopText }
  }

  async #interrupted(): Promise<Ending> {
    await this.#flush()
    return { kind: 'interrupted' }
  }

  async #flush(): Promise<AnswerStep> {
    const step = this.#parts.answer.end()
    await this.#emit(step.pieces)
    return step
  }

  async #emit(pieces: readonly Piece[]): Promise<void> {
    const outputTokens = this.#output.length
    for (const piece of pieces) {
      await this.#parts.emit({ type: 'token', ...piece, outputTokens })
    }
  }
}
