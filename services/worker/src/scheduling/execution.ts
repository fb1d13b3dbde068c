/**
 * One request on one sequence, from its prompt to its last token.
 *
 * The prompt is computed in the batches of the engine's schedule, its last token alone: so the
 * model's memory depends on the tokens only, and an answer does not depend on what was cached.
 *
 *     prompt chunks ──▶ last prompt token ──▶ token ──▶ token … ──▶ ending
 *             └──── gives way, and goes on where it was ────┘
 *
 * A run leaves in one of two ways. It ends; or its {@link StopRequest} has a reason, which the run
 * looks for before each step, and while it waits for one: then `#stopped` says what follows.
 * Asked to give way to others it does so between chunks and between tokens. What its sequence held
 * is put aside, and put back as it was, so nothing is computed twice and no byte of the answer
 * changes: a draw is made of the seed and its place, and the grammar and the reader stay here.
 *
 * Each token is what the model draws or, where the answer's plan leaves it no choice, what is
 * forced in its place (see `steering.ts`). Both count.
 *
 * When the runtime fails, it fails every sequence of the batch and does not say whose fault it
 * was. Each of them therefore gets a new sequence and one more attempt, in batches of its own: an
 * innocent request goes on where it was, the guilty one fails again and ends with an error. When it
 * is known whose fault it was, because no token could be drawn for it, it fails at once.
 */
import type { GenerateEvent, GenerateRequest, GrammarFailure } from '@svc/contracts/worker/protocol'
import {
  type Draw,
  DrawFailed,
  type DrawStream,
  type SamplingOptions,
  type Vocabulary,
} from '../engines/engine.ts'
import type { PromptSchedule } from '../engines/prompt-schedule.ts'
import type { AnswerEvent, AnswerOutput, OutputStep } from './answer-output.ts'
import type { BatchTurns, StepKind } from './batches/batch-turns.ts'
import type { StopRequest } from './batches/stop-request.ts'
import { PromptMeter } from './prompt-meter.ts'
import type { Loan } from './sequences/loan.ts'
import type { SequencePool } from './sequences/sequence-pool.ts'
import type { Steering } from './steering.ts'

export type Interruption = 'cancelled' | 'time_limit' | 'queue_full'

export type Ending =
  | {
      readonly kind: 'done'
      readonly reason: 'stop' | 'length' | 'tool_calls'
      readonly stopText: string | null
    }
  | { readonly kind: 'interrupted' }
  /** @property code why, where the request itself is the reason: it would fail everywhere */
  | { readonly kind: 'failed'; readonly code?: GrammarFailure }

/** Why an attempt ends. */
type AttemptEnd = Ending | { readonly kind: 'gives way' }

export interface ExecutionParts {
  readonly request: GenerateRequest
  readonly sampling: SamplingOptions
  readonly vocabulary: Vocabulary
  readonly schedule: PromptSchedule
  readonly answer: AnswerOutput
  readonly steering: Steering
  readonly pool: SequencePool
  readonly loan: Loan
  readonly batchTurns: BatchTurns
  /** Waits while the client does not read, at most until the signal. Never throws. */
  readonly emit: (event: GenerateEvent) => Promise<void>
  /** Milliseconds of a clock that only goes forward. */
  readonly nowMs: () => number
  /** Its signal is aborted with an {@link Interruption} as its reason. */
  readonly stop: StopRequest
  /**
   * Waits without a sequence for the next turn.
   *
   * @param held leading prompt tokens that the sequence holds
   * @param unread resolves when the client has read what it was sent
   * @returns the loan to go on with, or null when the request was interrupted
   */
  readonly putAside: (loan: Loan, held: number, unread: Promise<void>) => Promise<Loan | null>
  readonly onPromptDone: () => void
  readonly onFailure: (error: unknown) => void
}

export class Execution {
  readonly #parts: ExecutionParts
  readonly #meter: PromptMeter
  readonly #output: number[] = []
  /** Null while the request is put aside, and when it ended there. */
  #loan: Loan | null
  #unread: Promise<void> = Promise.resolve()
  /** Leading prompt tokens that the current sequence holds from prompt chunks. */
  #chunked: number

  constructor(parts: ExecutionParts) {
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
    let ending: Ending
    try {
      ending = await this.#toTheEnd(false)
    } catch (error) {
      this.#parts.onFailure(error)
      if (error instanceof DrawFailed) ending = { ...(await this.#giveUp()), code: error.code }
      else ending = await this.#secondAttempt()
    }
    if (this.#loan === null) return ending
    this.#meter.close(this.#loan, this.#chunked)
    const answer = ending.kind === 'done' ? this.#output : []
    this.#parts.pool.giveBack(this.#loan, this.#chunked, answer)
    return ending
  }

  async #secondAttempt(): Promise<Ending> {
    if (this.#loan === null) return { kind: 'failed' }
    await this.#renewLoan()
    if (this.#parts.stop.reason === 'interrupted') return await this.#interrupted()
    try {
      this.#parts.steering.resume()
      return await this.#toTheEnd(true)
    } catch (error) {
      this.#parts.onFailure(error)
      return await this.#giveUp()
    }
  }

  async #giveUp(): Promise<Ending & { kind: 'failed' }> {
    await this.#renewLoan()
    return { kind: 'failed' }
  }

  async #renewLoan(): Promise<void> {
    if (this.#loan !== null) this.#loan = await this.#parts.pool.discard(this.#loan)
    this.#chunked = 0
  }

  /** Computes the answer to its end, and gives way as often as it has to. */
  async #toTheEnd(alone: boolean): Promise<Ending> {
    while (this.#loan !== null) {
      const loan = this.#loan
      const end = await this.#attempt(loan, alone)
      if (end.kind !== 'gives way') return end
      this.#meter.leave(loan, this.#chunked)
      // From here on the sequence may be another request's, also when this fails.
      this.#loan = null
      this.#loan = await this.#parts.putAside(loan, this.#chunked, this.#unread)
      this.#chunked = this.#loan?.reusedTokens ?? this.#chunked
      // A run for whose copy there was no room still has its sequence, and may be asked for it
      // again.
      await this.#untilRead()
    }
    return await this.#interrupted()
  }

  async #attempt(loan: Loan, alone: boolean): Promise<AttemptEnd> {
    const { request, sampling, steering } = this.#parts
    const { sequence } = loan
    const known = [...request.tokens, ...this.#output]
    if (known.length === 0) throw new Error('the prompt is empty')
    // A sequence that was put aside within the answer goes on exactly where it was.
    if (sequence.length < request.tokens.length) {
      const end = await this.#prefill(loan, known)
      if (end !== undefined) return end
    }
    const draws = sequence.generate(known.slice(sequence.length), {
      sampling,
      grammar: () => steering.grammar,
      logitBias: request.logitBias,
      bannedUnderGrammar: () => steering.banned,
      logprobs: request.topLogprobs !== null,
      answered: () => this.#output,
      alone,
    })
    try {
      return await this.#answer(loan, draws, alone ? 'alone' : 'token')
    } finally {
      await draws.return()
    }
  }

  async #answer(loan: Loan, draws: DrawStream, kind: StepKind): Promise<AttemptEnd> {
    const { steering, vocabulary } = this.#parts
    let forced: readonly number[] = []
    while (true) {
      const instead = forced
      const drawn = await this.#step(kind, () => draws.next(unlessEmpty(instead)))
      if (drawn === null) return await this.#stopped()
      const { value: draw, done } = drawn
      this.#promptDone(loan)
      if (done || draw === undefined) return await this.#end('stop')
      const ends = vocabulary.isEndOfGeneration(draw.token)
      forced = steering.due(ends)
      if (ends && forced.length === 0) return await this.#end('stop')
      const tokens = forced.length > 0 ? forced.map(withoutLogprobs) : [draw]
      const end = await this.#take(tokens)
      if (end !== undefined) return end
      if (this.#parts.stop.reason !== null) return await this.#stopped()
    }
  }

  /** The one place that ends an attempt of a run that was asked to stop. */
  async #stopped(): Promise<AttemptEnd> {
    return this.#parts.stop.reason === 'interrupted' ? await this.#interrupted() : GIVES_WAY
  }

  /** @returns null, and nothing was computed, when the request was asked to stop before its turn */
  #step<Result>(kind: StepKind, work: () => Promise<Result>): Promise<Result | null> {
    const { batchTurns, request, steering, stop } = this.#parts
    const { tenant, weight } = request
    const hasGrammar = kind === 'token' && steering.grammar !== null
    return batchTurns.step({ tenant, weight, hasGrammar, stop }, kind, work)
  }

  /** @returns why it stopped before its end, if it did */
  async #prefill(loan: Loan, known: readonly number[]): Promise<AttemptEnd | undefined> {
    const { pool, nowMs, stop, schedule } = this.#parts
    const { sequence } = loan
    const promptEnd = this.#parts.request.tokens.length - 1
    // The kind is that of the prompt alone: more tokens than the prompt's are known when an answer
    // is computed again.
    const kind = schedule.kindOf(promptEnd)
    let position = sequence.length
    while (position < known.length - 1) {
      const end = schedule.batches[kind].batchEnd(position, known.length - 1)
      const ms = await this.#step('chunk', async () => {
        const begunMs = nowMs()
        await sequence.prefill(known.slice(position, end), kind)
        return nowMs() - begunMs
      })
      if (ms === null) return await this.#stopped()
      const chunk = end - position
      position = end
      this.#chunked = Math.min(position, promptEnd)
      this.#meter.advance(this.#chunked)
      await pool.computed(loan, chunk, this.#chunked, ms)
    }
    if (this.#output.length === 0) await pool.promptComputed(loan)
    return stop.reason === null ? undefined : await this.#stopped()
  }

  #promptDone(loan: Loan): void {
    if (this.#meter.covered === this.#parts.request.tokens.length) return
    this.#meter.advance(this.#parts.request.tokens.length)
    this.#meter.close(loan, this.#parts.request.tokens.length)
    this.#parts.onPromptDone()
  }

  async #take(tokens: readonly Draw[]): Promise<Ending | undefined> {
    const { answer, steering, request } = this.#parts
    for (const draw of tokens) {
      this.#output.push(draw.token)
      const { events, stopText } = answer.push(draw)
      steering.took(draw.token)
      await this.#emit(events.length === 0 ? [EMPTY] : events)
      if (stopText !== null) return this.#done('stop', stopText)
      if (this.#output.length >= request.maxOutputTokens) return await this.#end('length')
    }
    return undefined
  }

  async #end(reason: 'stop' | 'length'): Promise<Ending> {
    const { stopText } = await this.#flush(reason === 'length')
    return this.#done(stopText === null ? reason : 'stop', stopText)
  }

  #done(reason: 'stop' | 'length', stopText: string | null): Ending {
    const called = reason === 'stop' && this.#parts.answer.called
    return { kind: 'done', reason: called ? 'tool_calls' : reason, stopText }
  }

  /** What was held back of the answer was computed and is paid for, so it is given out. */
  async #interrupted(): Promise<Ending> {
    await this.#flush(true)
    return { kind: 'interrupted' }
  }

  async #flush(cut: boolean): Promise<OutputStep> {
    const step = this.#parts.answer.end(cut)
    await this.#emit(step.events)
    return step
  }

  async #emit(events: readonly AnswerEvent[]): Promise<void> {
    const { emit } = this.#parts
    const outputTokens = this.#output.length
    for (const event of events) {
      this.#unread = emit({ ...event, outputTokens })
      await this.#untilRead()
    }
  }

  /**
   * Waits until the client has read what it was sent, or the run is asked to stop. Requests that
   * wait for blocks of this one get them meanwhile: they have clients that read.
   */
  async #untilRead(): Promise<void> {
    const { pool, stop } = this.#parts
    const loan = this.#loan
    let isRead = false
    const read = this.#unread.then(() => {
      isRead = true
    })
    while (stop.reason === null) {
      const { promise: called, resolve: call } = Promise.withResolvers<void>()
      void read.then(call)
      if (loan !== null) {
        pool.onAwaited(loan, call)
        await pool.shareAwaited(loan, this.#chunked)
      }
      await stop.before(called)
      if (isRead) return
    }
  }
}

const GIVES_WAY: AttemptEnd = { kind: 'gives way' }
/** Says that a token was made, when none of its text can be shown yet. */
const EMPTY: AnswerEvent = { type: 'token', kind: 'text', text: '' }

function unlessEmpty(tokens: readonly number[]): readonly number[] | undefined {
  return tokens.length > 0 ? tokens : undefined
}

function withoutLogprobs(token: number): Draw {
  return { token, logprobs: null }
}
