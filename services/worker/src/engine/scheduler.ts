/**
 * Takes requests, lets them wait their turn, and runs as many at once as there are sequences.
 *
 *     submit ──▶ queued ──sequence free──▶ running ──▶ ended
 *                  └───cancel, time limit──────┴──────▶ ended
 *
 * Every submitted request ends with its meter and `done`, or with its meter and `error`. The trade:
 * a request waits for a whole sequence instead of sharing one, so the context of a running request
 * is never taken from it; when all are taken, the wait is bounded by the queue and the time limits.
 */
import type {
  GenerateEvent,
  GenerateRequest,
  StateAnswer,
  WorkerMeter,
} from '@svc/contracts/worker-protocol'
import type { Log } from '../log.ts'
import { AnswerText } from '../prompt/answer-text.ts'
import type { Family } from '../prompt/families/family.ts'
import { AnswerOutput } from './answer-output.ts'
import type { Engine } from './engine.ts'
import { type Ending, Generation, type Interruption } from './generation.ts'
import { GrammarBans } from './grammar-bans.ts'
import { nothingComputed, type PromptCounts } from './prompt-meter.ts'
import { refuseUnfit, SchedulerRefusal } from './refusal.ts'
import { latenciesOf } from './run-times.ts'
import type { Loan, SequencePool } from './sequences.ts'
import { Steering } from './steering.ts'
import { TenantQueue } from './tenant-queue.ts'

export const QUEUE_REQUESTS_MAX = 256
const TIMER_MS_MAX = 2 ** 31 - 1
const SEEDS = 2 ** 32

export interface SchedulerParts {
  readonly engine: Engine
  readonly pool: SequencePool
  /** How answers of this model are read. */
  readonly family: Family
  readonly workerId: string
  readonly queueLimit: number
  readonly log: Log
  /** Milliseconds of a clock that only goes forward. */
  readonly nowMs: () => number
  /** 0 … 2³² − 1, for requests without a seed. */
  readonly randomSeed: () => number
  /** The runtime is beyond repair: the process should end and be started again. */
  readonly onBroken: (error: unknown) => void
}

/** Waits while the client does not read, at most until the signal. Never throws. */
export type Emit = (event: GenerateEvent, signal: AbortSignal) => Promise<void>

interface Run {
  readonly request: GenerateRequest
  readonly emit: Emit
  readonly interrupt: AbortController
  readonly timer: NodeJS.Timeout
  readonly ended: PromiseWithResolvers<void>
  readonly submittedMs: number
  startedMs: number | null
  promptDoneMs: number | null
  firstTokenMs: number | null
}

export class Scheduler {
  readonly #parts: SchedulerParts
  readonly #queue: TenantQueue<Run>
  readonly #bans: GrammarBans
  readonly #runs = new Map<string, Run>()
  readonly #totals = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 }
  #ended = 0
  #running = 0
  #draining = false

  constructor(parts: SchedulerParts) {
    this.#parts = parts
    this.#queue = new TenantQueue(parts.queueLimit)
    this.#bans = new GrammarBans(parts.engine.vocabulary, parts.family.controlMarkers)
  }

  get draining(): boolean {
    return this.#draining
  }

  state(): StateAnswer {
    return {
      queued: this.#queue.length,
      running: this.#running,
      sequences: this.#parts.pool.size,
      ended: this.#ended,
      totals: { ...this.#totals },
    }
  }

  /**
   * Takes a request. Its events go to `emit`, from the first token to `done` or `error`.
   *
   * @returns a promise that resolves when the last event was given out
   * @throws SchedulerRefusal before anything was computed
   */
  submit(request: GenerateRequest, emit: Emit): Promise<void> {
    this.#refuse(request)
    const interrupt = new AbortController()
    const stop = () => this.#interrupt(run, 'time_limit')
    const run: Run = {
      request,
      emit,
      interrupt,
      timer: setTimeout(stop, Math.min(request.timeLimitMs, TIMER_MS_MAX)),
      ended: Promise.withResolvers<void>(),
      submittedMs: this.#parts.nowMs(),
      startedMs: null,
      promptDoneMs: null,
      firstTokenMs: null,
    }
    this.#runs.set(request.requestId, run)
    this.#queue.push(request.tenant, run)
    this.#startWaiting()
    return run.ended.promise
  }

  /** @returns false when no such request is waiting or running */
  cancel(requestId: string): boolean {
    const run = this.#runs.get(requestId)
    if (run === undefined) return false
    this.#interrupt(run, 'cancelled')
    return true
  }

  /** Takes no more requests and resolves when those that were taken have ended. */
  async drain(): Promise<void> {
    this.#draining = true
    await Promise.all([...this.#runs.values()].map((run) => run.ended.promise))
  }

  #refuse(request: GenerateRequest): void {
    if (this.#draining) throw new SchedulerRefusal('draining', 'the worker is shutting down')
    if (this.#runs.has(request.requestId)) {
      throw new SchedulerRefusal('bad_request', 'a request with this requestId is running')
    }
    refuseUnfit(request, this.#parts.engine)
    if (this.#queue.isFull) {
      throw new SchedulerRefusal('queue_full', 'too many requests wait for this worker')
    }
  }

  #interrupt(run: Run, interruption: Interruption): void {
    run.interrupt.abort(interruption)
    if (this.#queue.remove(run.request.tenant, run)) {
      this.#finish(run, { kind: 'interrupted' }, nothingComputed, 0, 0)
    }
  }

  #startWaiting(): void {
    while (this.#parts.pool.idle > 0) {
      const run = this.#queue.shift()
      if (run === undefined) return
      this.#running += 1
      void this.#run(run)
    }
  }

  async #run(run: Run): Promise<void> {
    const { engine, family, pool, nowMs, onBroken } = this.#parts
    const { request } = run
    run.startedMs = nowMs()
    try {
      const loan = await pool.lend(request.tenant, request.tokens)
      const reader = new AnswerText({
        ...{ vocabulary: engine.vocabulary, family },
        ...{ prompt: request.tokens, stops: request.stop, callable: request.plan.callable },
      })
      const generation = this.#generation(run, reader, loan)
      const ending = await generation.run()
      this.#running -= 1
      const counts = generation.meter.counts()
      this.#finish(run, ending, counts, generation.outputTokens, reader.reasoningTokens)
    } catch (error) {
      this.#running -= 1
      this.#finish(run, { kind: 'failed' }, nothingComputed, 0, 0)
      onBroken(error)
    }
  }

  #generation(run: Run, reader: AnswerText, loan: Loan): Generation {
    const { engine, family, pool, nowMs, log } = this.#parts
    const { request, interrupt } = run
    const { requestId, plan, thinking, topLogprobs } = request
    const { vocabulary } = engine
    const logFailure = (message: string) => (error: unknown) =>
      log('error', message, { requestId, error: String(error) })
    const onReaderFailure = logFailure('an answer could not be read and is given out as text')
    return new Generation({
      request,
      sampling: { ...request.sampling, seed: this.#seed(request) },
      vocabulary,
      answer: new AnswerOutput({ vocabulary, reader, topLogprobs, onReaderFailure }),
      steering: new Steering({
        ...{ engine, plan, thinking, markers: family.thinking, answer: reader },
        bans: this.#bans,
      }),
      pool,
      loan,
      signal: interrupt.signal,
      emit: (event) => {
        run.firstTokenMs ??= nowMs()
        return run.emit(event, interrupt.signal)
      },
      onPromptDone: () => {
        run.promptDoneMs = nowMs()
      },
      onFailure: logFailure('a batch failed'),
    })
  }

  #seed(request: GenerateRequest): number {
    return (request.sampling.seed ?? this.#parts.randomSeed()) % SEEDS
  }

  /** Gives out the last two events without waiting for the client to read them. */
  #finish(
    run: Run,
    ending: Ending,
    counts: PromptCounts,
    outputTokens: number,
    reasoningTokens: number,
  ): void {
    const { request, interrupt } = run
    clearTimeout(run.timer)
    this.#runs.delete(request.requestId)
    this.#ended += 1
    this.#totals.inputTokens += counts.inputTokens
    this.#totals.cachedInputTokens += counts.cachedInputTokens
    this.#totals.outputTokens += outputTokens
    this.#startWaiting()
    if (!counts.witnessed) {
      const { inputTokens, cachedInputTokens, evaluatedTokens } = counts
      const reading = { inputTokens, cachedInputTokens, evaluatedTokens }
      this.#parts.log('error', 'the prompt was counted in two ways; the cheaper reading is taken', {
        requestId: request.requestId,
        ...reading,
      })
    }
    const meter = this.#meter(run, counts, outputTokens, reasoningTokens)
    void run.emit({ type: 'meter', meter }, interrupt.signal)
    void run.emit(lastEvent(ending, interrupt.signal.reason), interrupt.signal)
    run.ended.resolve()
  }

  #meter(
    run: Run,
    counts: PromptCounts,
    outputTokens: number,
    reasoningTokens: number,
  ): WorkerMeter {
    return {
      inputTokens: counts.inputTokens,
      cachedInputTokens: counts.cachedInputTokens,
      outputTokens,
      reasoningTokens,
      workerId: this.#parts.workerId,
      cache: {
        blocks: counts.blocks,
        source: counts.blocks > 0 ? 'l1' : 'none',
        lastBlockHash: counts.lastBlockHash,
        evaluatedTokens: counts.evaluatedTokens,
      },
      latencies: latenciesOf(run, this.#parts.nowMs()),
    }
  }
}

function lastEvent(ending: Ending, interruption: Interruption): GenerateEvent {
  switch (ending.kind) {
    case 'done':
      return { type: 'done', finishReason: ending.reason, stopText: ending.stopText }
    case 'failed':
      return { type: 'error', code: 'failed', message: 'the model failed on this request' }
    case 'interrupted':
      return interruption === 'time_limit'
        ? { type: 'error', code: 'time_limit', message: 'the time limit was reached' }
        : { type: 'done', finishReason: 'cancelled', stopText: null }
  }
}
