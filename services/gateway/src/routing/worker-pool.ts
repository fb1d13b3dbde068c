/**
 * The workers that requests can run on: which there are, and which one takes the next request.
 *
 * Workers join and leave while it runs. The pool starts and stops no worker; a supervisor does.
 */
import type { ServiceError } from '@svc/contracts/errors'
import type { PrefixIndex } from '@svc/contracts/ports/prefix-index'
import type { Timer } from '@svc/contracts/ports/time'
import { overloaded, WorkerFailure } from '@svc/contracts/worker/failure'
import type { HealthResponse } from '@svc/contracts/worker/protocol'
import { type Candidate, chooseWorker } from './choose-worker.ts'
import type { FailureStreak } from './failure-streak.ts'
import { KeptWorkers } from './kept-workers.ts'
import { NO_HINTS, PrefixHintSource } from './prefix-hints.ts'
import {
  type LeasedWorker,
  type PooledWorker,
  TrackedWorker,
  type TrackingOptions,
  type WorkerConfiguration,
} from './tracked-worker.ts'

export type { LeasedWorker, WorkerConfiguration } from './tracked-worker.ts'

const SECOND_MS = 1_000
/** The longest pause before a worker is started again. */
const RETRY_SECONDS_MAX = 10

/** What a worker is wanted for. */
export interface WantedWorker {
  /** The account whose request it is. */
  readonly tenant: string
  /** A worker that is taken only when no other is ready. */
  readonly avoid?: LeasedWorker | undefined
}

export interface WantedRun extends WantedWorker {
  /**
   * The fingerprint of the worker that prepared the prompt: only workers with the same give the
   * same tokens.
   */
  readonly fingerprint: string
  /** Names of the prompt's blocks, the earliest first: it goes to where most of them are. */
  readonly blocks: readonly string[]
}

/** A worker that was chosen for one request; given back when that is over. */
export interface Lease {
  readonly worker: LeasedWorker
  /** @param failure what broke it, if anything: a lost connection makes the worker unready */
  release(failure: Error | undefined): void
  /** @param failure why it did not do what it was given; one that fails often is passed over */
  note(failure: WorkerFailure | undefined): void
}

interface PoolLease extends Lease {
  readonly worker: PooledWorker
}

/** Chooses workers for requests. */
export interface WorkerChoice {
  /**
   * The ready worker with the least to do: to prepare a prompt, which any of them can.
   *
   * @throws {ServiceError} `server_is_overloaded`
   */
  pick(wanted: WantedWorker): Lease | Promise<Lease>
  /** A ready worker for a run. @throws {ServiceError} `server_is_overloaded` */
  lease(wanted: WantedRun): Promise<Lease>
}

export interface WorkerPool extends WorkerChoice {
  readonly workers: readonly PooledWorker[]
  pick(wanted: WantedWorker): PoolLease
  lease(wanted: WantedRun): Promise<PoolLease>
  /**
   * A worker joins, and serves when it says that it is ready.
   *
   * @returns it, when it has answered for the first time, or has failed to
   * @throws {Error} when there is one of that name
   */
  add(configuration: WorkerConfiguration): Promise<PooledWorker>
  /**
   * A worker leaves: it gets no more requests, those that run on it end, and then it is forgotten.
   * It is not told, because other gateways may use it.
   *
   * @returns when it gets nothing more; if nothing runs on it, it is forgotten by then
   * @throws {WorkerFailure} `not_found`
   */
  remove(workerId: string): Promise<void>
  /**
   * Tells a worker to take no more requests, or to take them again, which it then does for good: a
   * restart of it does not change that.
   *
   * @throws {WorkerFailure} `not_found`, or when the worker does not acknowledge it
   */
  drain(workerId: string, draining: boolean): Promise<HealthResponse>
  /** Resolves to whether some worker is ready before the time is over. */
  whenReady(timeoutMs: number): Promise<boolean>
  close(): Promise<void>
}

export interface WorkerPoolOptions {
  readonly workers: readonly WorkerConfiguration[]
  readonly timer: Timer
  /** Tells where prefixes are. Without it load alone counts. Whoever made it closes it. */
  readonly index?: PrefixIndex | undefined
  /** Whether they all compute on the same processors: then some are kept for who comes next. */
  readonly shareProcessors?: boolean
  /**
   * Is called once when a worker gives no health answer, again when that has another reason, and
   * without a problem when it answers again.
   */
  readonly onProblem?: TrackingOptions['onProblem']
}

export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  return new TrackedWorkerPool(options)
}

class TrackedWorkerPool implements WorkerPool {
  readonly #timer: Timer
  readonly #hints: PrefixHintSource
  readonly #kept: KeptWorkers | undefined
  readonly #trackingOptions: TrackingOptions
  readonly #workers = new Map<string, TrackedWorker>()
  readonly #waiting = new Set<() => void>()
  #picks = 0
  /** When the first request was refused since a worker became ready last. */
  #noneSinceMs: number | undefined

  constructor(options: WorkerPoolOptions) {
    const { workers, timer, index, shareProcessors = false, onProblem = () => {} } = options
    const nowMs = () => performance.now()
    this.#kept = shareProcessors ? new KeptWorkers(nowMs) : undefined
    this.#timer = timer
    this.#hints = new PrefixHintSource(index, timer)
    const onReady = () => {
      this.#noneSinceMs = undefined
      for (const done of [...this.#waiting]) done()
    }
    this.#trackingOptions = { timer, nowMs, onProblem, onReady }
    for (const worker of workers) this.#track(worker)
  }

  get workers(): readonly TrackedWorker[] {
    return [...this.#workers.values()]
  }

  pick({ tenant, avoid }: WantedWorker): PoolLease {
    const trusted = preferred(this.#ready(), avoid, ({ prompts }) => prompts)
    const able = this.#openTo(tenant, trusted)
    const known = able.map((worker) => knownOf(worker, worker.lastPreparation, 0))
    const worker = chooseWorker(known)?.worker
    if (worker === undefined) throw this.#noneReady()
    this.#picks += 1
    worker.lastPreparation = this.#picks
    worker.preparing += 1
    const end = this.#kept?.begin(tenant, worker.workerId)
    const release = () => {
      worker.preparing -= 1
      end?.()
    }
    return { worker, release, note: (failure) => worker.prompts.note(isOwnFault(failure)) }
  }

  async lease(wanted: WantedRun): Promise<PoolLease> {
    const { tenant, fingerprint, blocks, avoid } = wanted
    const trusted = () => preferred(this.#ready(fingerprint), avoid, ({ runs }) => runs)
    const able = () => this.#openTo(tenant, trusted())
    // Nobody is asked for a hint where there is no choice.
    const hints = able().length > 1 ? await this.#hints.find(blocks) : NO_HINTS
    const known = able().map((worker) => {
      const held = hints.get(worker.health?.instanceId ?? '') ?? 0
      return knownOf(worker, worker.lastRun, held)
    })
    const worker = chooseWorker(known)?.worker
    if (worker === undefined) throw this.#noneReady()
    this.#picks += 1
    worker.lastRun = this.#picks
    worker.begin()
    if (worker.health !== undefined) this.#hints.note(worker.health.instanceId, blocks)
    const end = this.#kept?.begin(tenant, worker.workerId)
    const release: Lease['release'] = (failure) => {
      worker.end(failure)
      end?.()
    }
    return { worker, release, note: (failure) => worker.runs.note(isOwnFault(failure)) }
  }

  async add(configuration: WorkerConfiguration): Promise<TrackedWorker> {
    const worker = this.#track(configuration)
    await worker.firstChecked
    return worker
  }

  async remove(workerId: string): Promise<void> {
    const worker = this.#workerOf(workerId)
    await worker.retire()
    const forgotten = worker.idle.then(() => this.#forget(worker))
    if (worker.running === 0) await forgotten
  }

  async drain(workerId: string, draining: boolean): Promise<HealthResponse> {
    return this.#workerOf(workerId).drain(draining)
  }

  whenReady(timeoutMs: number): Promise<boolean> {
    if (this.#ready().length > 0) return Promise.resolve(true)
    return new Promise((resolve) => {
      const done = () => {
        stop()
        this.#waiting.delete(done)
        resolve(this.#ready().length > 0)
      }
      const stop = this.#timer.after(timeoutMs, done)
      this.#waiting.add(done)
    })
  }

  async close(): Promise<void> {
    const closed = this.workers.map((worker) => worker.close())
    for (const done of [...this.#waiting]) done()
    await Promise.all(closed)
  }

  #track(configuration: WorkerConfiguration): TrackedWorker {
    const { workerId } = configuration
    if (this.#workers.has(workerId)) throw new Error(`there is a worker ${workerId} already`)
    const worker = new TrackedWorker(configuration, this.#trackingOptions)
    this.#workers.set(workerId, worker)
    return worker
  }

  /** Forgets a worker, but not another one that has its name by now. */
  #forget(worker: TrackedWorker): Promise<void> {
    if (this.#workers.get(worker.workerId) === worker) this.#workers.delete(worker.workerId)
    return worker.close()
  }

  #workerOf(workerId: string): TrackedWorker {
    const worker = this.#workers.get(workerId)
    if (worker === undefined) throw new WorkerFailure('not_found', `no worker ${workerId}`)
    return worker
  }

  /**
   * A worker that ends again and again is started after twice the pause each time: who asks is told
   * to come again after as long as none has been there.
   */
  #noneReady(): ServiceError {
    const message = 'No inference worker is ready.'
    // Those that are ready have another model.
    if (this.#ready().length > 0) return overloaded(message)
    const { nowMs } = this.#trackingOptions
    this.#noneSinceMs ??= nowMs()
    const seconds = Math.ceil((nowMs() - this.#noneSinceMs) / SECOND_MS)
    const retryAfterSeconds = Math.min(Math.max(seconds, 1), RETRY_SECONDS_MAX)
    return overloaded(message, { retryAfterSeconds })
  }

  #openTo(tenant: string, workers: readonly TrackedWorker[]): readonly TrackedWorker[] {
    return this.#kept?.openTo(tenant, workers) ?? workers
  }

  #ready(fingerprint?: string): readonly TrackedWorker[] {
    return this.workers.filter(
      ({ ready, health }) =>
        ready && (fingerprint === undefined || health?.fingerprint === fingerprint),
    )
  }
}

/** What is served now, for those who ask what it is: by a ready worker, if there is one. */
export function servedBy({ workers }: Pick<WorkerPool, 'workers'>): HealthResponse | undefined {
  const answering = workers.filter(({ health }) => health !== undefined)
  return (answering.find(({ ready }) => ready) ?? answering[0])?.health
}

interface KnownWorker extends Candidate {
  readonly worker: TrackedWorker
}

function knownOf(worker: TrackedWorker, lastPicked: number, blocks: number): KnownWorker {
  return { worker, load: worker.load + worker.preparing, blocks, lastPicked }
}

/**
 * Those that go on serving and do not fail; else one that fails, one that is about to leave, and
 * last the one to avoid.
 *
 * @param streakOf of what the worker is wanted for
 */
function preferred(
  workers: readonly TrackedWorker[],
  avoid: LeasedWorker | undefined,
  streakOf: (worker: TrackedWorker) => FailureStreak,
): readonly TrackedWorker[] {
  const others = workers.filter(({ workerId }) => workerId !== avoid?.workerId)
  const staying = others.filter(({ leaving }) => !leaving)
  const trusted = staying.filter((worker) => !streakOf(worker).isFailing)
  return [trusted, staying, others].find(({ length }) => length > 0) ?? workers
}

function isOwnFault(failure: WorkerFailure | undefined): boolean {
  if (failure === undefined) return false
  return !failure.isBusy && !failure.isFinal && !failure.isOfGrammar
}
