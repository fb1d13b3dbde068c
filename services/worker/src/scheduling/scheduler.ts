/**
 * Takes requests, lets them wait their turn, and runs as many at once as there are sequences.
 *
 *     submit ──▶ queued ──sequence free──▶ running ──▶ ended
 *                  │  ◀─────gives way──────    │
 *                  └───cancel, time limit──────┴──────▶ ended
 *
 * Every submitted request ends with its meter and `done`, or with its meter and `error`. The trade:
 * a request waits for a whole sequence instead of sharing one, so the context of a running request
 * is never taken from it. When all are taken and others wait, a running request gives way, is put
 * aside with all that its sequence holds, and goes on at its next turn (see `turns.ts`).
 */
import type { GenerateRequest, HealthResponse, StateResponse } from '@svc/contracts/worker/protocol'
import { systemTimer } from '@svc/infra/system/system-timer'
import type { Engine } from '../engines/engine.ts'
import type { PrefixCache } from '../prefix-cache/prefix-cache.ts'
import type { Log } from '../process/log.ts'
import { AnswerText } from '../prompt/answer-text.ts'
import type { Family } from '../prompt/families/family.ts'
import { WorkerRefusal } from '../protocol/refusal.ts'
import type { Emit } from '../protocol/worker-api.ts'
import { AnswerOutput } from './answer-output.ts'
import { type Ending, Execution, type Interruption } from './execution.ts'
import { GrammarBans } from './grammar-bans.ts'
import { lastEvent, meterOf, type RunCounts } from './last-events.ts'
import { nothingComputed, type PromptCounts } from './prompt-meter.ts'
import { refuseUnfit } from './request-checks.ts'
import type { Loan } from './sequences/loan.ts'
import type { SequencePool } from './sequences/sequence-pool.ts'
import { Steering } from './steering.ts'
import { type Turn, Turns } from './turns.ts'

export const QUEUE_REQUESTS_MAX = 256
export const TENANT_QUEUE_REQUESTS_MAX = 64
const SEEDS = 2 ** 32
/** No tenant of the service: none has an id like this. */
const OWN_TENANT = ''

export interface SchedulerParts {
  readonly engine: Engine
  readonly pool: SequencePool
  readonly cache: PrefixCache
  /** How answers of this model are read. */
  readonly family: Family
  readonly workerId: string
  readonly queueLimit: number
  /** Requests of one tenant that may wait. */
  readonly tenantQueueLimit: number
  readonly log: Log
  /** Milliseconds of a clock that only goes forward. */
  readonly nowMs: () => number
  /** 0 … 2³² − 1, for requests without a seed. */
  readonly randomSeed: () => number
  /** The runtime is beyond repair: the process should end and be started again. */
  readonly onBroken: (error: unknown) => void
}

interface Job {
  readonly request: GenerateRequest
  readonly emit: Emit
  readonly interrupt: AbortController
  readonly cancelTimeLimit: () => void
  readonly ended: PromiseWithResolvers<void>
  readonly submittedMs: number
  turn: Turn | null
  startedMs: number | null
  promptDoneMs: number | null
  firstTokenMs: number | null
}

export class Scheduler {
  readonly #parts: SchedulerParts
  readonly #turns: Turns
  readonly #bans: GrammarBans
  readonly #jobs = new Map<string, Job>()
  readonly #totals = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 }
  #ended = 0
  #meterMismatches = 0
  #draining = false

  constructor(parts: SchedulerParts) {
    this.#parts = parts
    this.#turns = new Turns(parts)
    this.#bans = new GrammarBans(parts.engine.vocabulary, parts.family.controlMarkers)
  }

  get draining(): boolean {
    return this.#draining
  }

  set draining(draining: boolean) {
    this.#draining = draining
  }

  get load(): HealthResponse['load'] {
    const { pool } = this.#parts
    return { queued: this.#turns.waiting, running: pool.size - pool.idle, sequences: pool.size }
  }

  state(): StateResponse {
    const { cache, engine, pool } = this.#parts
    return {
      ...this.load,
      ended: this.#ended,
      totals: { ...this.#totals },
      cache: cache.state(),
      batches: { ...engine.batches },
      putAside: pool.copies.counts,
      meterMismatches: this.#meterMismatches,
    }
  }

  /**
   * Takes a request. Its events go to `emit`, from the first token to `done` or `error`.
   *
   * @returns a promise that resolves when the last event was given out
   * @throws WorkerRefusal before anything was computed
   */
  submit(request: GenerateRequest, emit: Emit): Promise<void> {
    this.#refuse(request)
    const interrupt = new AbortController()
    const stop = () => this.#interrupt(job, 'time_limit')
    const job: Job = {
      request,
      emit,
      interrupt,
      cancelTimeLimit: systemTimer.after(request.timeLimitMs, stop),
      ended: Promise.withResolvers<void>(),
      submittedMs: this.#parts.nowMs(),
      turn: null,
      startedMs: null,
      promptDoneMs: null,
      firstTokenMs: null,
    }
    this.#jobs.set(request.requestId, job)
    const { tenant, weight } = request
    job.turn = this.#turns.begin({
      tenant,
      weight,
      signal: interrupt.signal,
      start: (turn) => void this.#execute(job, turn),
      cancel: () => this.#finish(job, { kind: 'interrupted' }, NOTHING),
      makeRoom: () => this.#interrupt(job, 'queue_full'),
    })
    if (job.turn === null) {
      job.cancelTimeLimit()
      this.#jobs.delete(request.requestId)
      throw queueFull()
    }
    return job.ended.promise
  }

  /** @returns false when no such request is waiting or running */
  cancel(requestId: string): boolean {
    const job = this.#jobs.get(requestId)
    if (job === undefined) return false
    this.#interrupt(job, 'cancelled')
    return true
  }

  /**
   * Does something else with a sequence, when it has its turn: work of this service itself.
   *
   * @throws WorkerRefusal when the queue is full
   */
  async withSequence<Result>(work: (loan: Loan) => Promise<Result>): Promise<Result> {
    const { pool } = this.#parts
    const lent = Promise.withResolvers<Loan>()
    const turn = this.#turns.begin({
      tenant: OWN_TENANT,
      weight: 1,
      signal: new AbortController().signal,
      start: () => lent.resolve(pool.lendEmpty()),
      cancel: () => {},
    })
    if (turn === null) throw queueFull()
    try {
      const loan = await lent.promise
      return await work(loan).finally(() => pool.giveBack(loan, 0))
    } finally {
      this.#turns.end(turn)
    }
  }

  /** Takes no more requests and resolves when those that were taken have ended. */
  async drain(): Promise<void> {
    this.#draining = true
    await Promise.all([...this.#jobs.values()].map((job) => job.ended.promise))
    await this.#parts.pool.stopReading()
  }

  #refuse(request: GenerateRequest): void {
    if (this.#draining) throw new WorkerRefusal('draining', 'the worker takes no more requests')
    if (this.#jobs.has(request.requestId)) {
      throw new WorkerRefusal('already_running', 'a request with this requestId is running')
    }
    refuseUnfit(request, this.#parts.engine)
  }

  #interrupt(job: Job, interruption: Interruption): void {
    job.interrupt.abort(interruption)
    if (job.turn !== null) this.#turns.interrupt(job.turn)
  }

  async #execute(job: Job, turn: Turn): Promise<void> {
    const { engine, family, pool, nowMs, onBroken } = this.#parts
    const { request } = job
    job.startedMs = nowMs()
    try {
      const loan = await pool.lend(request.tenant, request.tokens, job.interrupt.signal)
      this.#turns.hold(turn)
      const reader = new AnswerText({
        vocabulary: engine.vocabulary,
        family,
        prompt: request.tokens,
        stops: request.stop,
        callable: request.plan.callable,
        mustCall: request.plan.mustCall,
      })
      const execution = this.#execution(job, turn, reader, loan)
      const ending = await execution.run()
      this.#finish(job, ending, {
        prompt: execution.meter.counts(),
        outputTokens: execution.outputTokens,
        reasoningTokens: reader.reasoningTokens,
      })
    } catch (error) {
      this.#finish(job, { kind: 'failed' }, NOTHING)
      onBroken(error)
    }
    this.#turns.end(turn)
  }

  #execution(job: Job, turn: Turn, reader: AnswerText, loan: Loan): Execution {
    const { engine, family, pool, nowMs, log } = this.#parts
    const { request, interrupt } = job
    const { requestId, tenant, plan, thinking, topLogprobs } = request
    const { vocabulary } = engine
    const logFailure = (message: string) => (error: unknown) =>
      log('error', message, { requestId, err: error })
    const onReaderFailure = logFailure('failed to parse answer, sent as plain text')
    return new Execution({
      request,
      sampling: { ...request.sampling, seed: this.#seed(request) },
      vocabulary,
      schedule: engine.schedule,
      answer: new AnswerOutput({ vocabulary, reader, topLogprobs, onReaderFailure }),
      steering: new Steering({
        engine,
        tenant,
        plan,
        thinking,
        markers: family.thinking,
        answer: reader,
        bans: this.#bans,
      }),
      pool,
      loan,
      batchTurns: pool.batchTurns,
      nowMs,
      emit: (event) => {
        job.firstTokenMs ??= nowMs()
        return job.emit(event, interrupt.signal)
      },
      stop: turn.stop,
      putAside: (lent, held, unread) => this.#turns.putAside(turn, lent, held, unread),
      onPromptDone: () => {
        job.promptDoneMs = nowMs()
      },
      onFailure: logFailure('model run failed'),
    })
  }

  #seed(request: GenerateRequest): number {
    return (request.sampling.seed ?? this.#parts.randomSeed()) % SEEDS
  }

  /** Gives out the last two events without waiting for the client to read them. */
  #finish(job: Job, ending: Ending, counts: RunCounts): void {
    const { request, interrupt } = job
    const { workerId, engine, nowMs } = this.#parts
    job.cancelTimeLimit()
    this.#jobs.delete(request.requestId)
    this.#ended += 1
    this.#totals.inputTokens += counts.prompt.inputTokens
    this.#totals.cachedInputTokens += counts.prompt.cachedInputTokens
    this.#totals.outputTokens += counts.outputTokens
    if (!counts.prompt.witnessed) this.#alarm(request, counts.prompt)
    const worker = { workerId, schedule: engine.schedule.name }
    const meter = meterOf(worker, counts, job, nowMs())
    void job.emit({ type: 'meter', meter }, interrupt.signal)
    void job.emit(lastEvent(ending, interrupt.signal.reason), interrupt.signal)
    job.ended.resolve()
  }

  #alarm({ requestId }: GenerateRequest, counts: PromptCounts): void {
    const { inputTokens, cachedInputTokens, evaluatedTokens } = counts
    this.#meterMismatches += 1
    this.#parts.log('error', 'prompt token counts differ, charging the lower one', {
      requestId,
      inputTokens,
      cachedInputTokens,
      evaluatedTokens,
    })
  }
}

const NOTHING: RunCounts = { prompt: nothingComputed, outputTokens: 0, reasoningTokens: 0 }

function queueFull(): WorkerRefusal {
  return new WorkerRefusal('queue_full', 'too many requests wait for this worker')
}
