/**
 * One worker as its gateway sees it: what it last said of itself, and how much it has to do.
 *
 *     unknown ──an answer──▶ loading | ready | draining ──no answer, a lost connection──▶ unknown
 *
 * Its health is checked all the time, one check after the other: seldom while it serves or drains,
 * often while it starts or is lost, so that it is back soon. The trade is a hundred milliseconds of
 * not knowing against calls that nobody needs. An answer that a newer one has overtaken is dropped.
 *
 * A worker that is to drain, or that leaves, first gets no more prompts to prepare, and a moment
 * later nothing at all: a prompt that it has prepared already may fit no other worker.
 */

import { pause, type Timer } from '@svc/contracts/ports/time'
import { addressText, type WorkerAddress } from '@svc/contracts/worker/address'
import { asWorkerFailure, WorkerFailure } from '@svc/contracts/worker/failure'
import type { HealthResponse } from '@svc/contracts/worker/protocol'
import { FailureStreak } from './failure-streak.ts'
import { WorkerClient } from './worker-client.ts'

/** How often the health of a worker that serves or drains is checked. */
const HEALTH_INTERVAL_MS = 1_000
/** How often the health of a worker that is starting or lost is checked. */
const RECOVERY_INTERVAL_MS = 100

export interface WorkerConfiguration {
  readonly workerId: string
  readonly address: WorkerAddress
}

/** A worker as the request sees it that runs there. */
export interface LeasedWorker {
  readonly workerId: string
  readonly client: Pick<WorkerClient, 'prepare' | 'generate' | 'cancel'>
  /** What it last said, as far as requests ask for it; undefined while it gives no answer. */
  readonly health: Pick<HealthResponse, 'toy' | 'fingerprint'> | undefined
}

export interface PooledWorker extends LeasedWorker {
  /** The address of the worker, for people: without its secret. */
  readonly address: string
  readonly client: WorkerClient
  /** What it last said; undefined while it gives no answer. */
  readonly health: HealthResponse | undefined
  /** Generations of this gateway that run on it. */
  readonly running: number
  /** Requests of all gateways that it has taken and not ended, as far as known. */
  readonly load: number
  readonly ready: boolean
  /** It is about to drain or to leave: it takes only what no other can, and soon nothing. */
  readonly leaving: boolean
  /** Why its last health call failed. */
  readonly problem: WorkerFailure | undefined
}

export interface TrackingOptions {
  /** Milliseconds of a clock that only goes forward. */
  readonly nowMs: () => number
  readonly timer: Timer
  /**
   * Is called when the reason changes why the worker gives no answer, and without one when it
   * answers again.
   */
  readonly onProblem: (workerId: string, problem: WorkerFailure | undefined) => void
  /** Is called after every answer of a worker that serves. */
  readonly onReady: () => void
}

/**
 * From the moment a worker gets no more prompts to prepare until it gets nothing at all: those that
 * it has prepared can run on no worker of another model, and begin long before.
 */
const LEAVING_MS = 250

/** Failures after which a worker's health is checked before it gets another request. */
const saysNotReady: ReadonlySet<WorkerFailure['code']> = new Set([
  'unreachable',
  'draining',
  'fingerprint_mismatch',
])

/** What the operator last asked of it, and which start of it has acknowledged that. */
interface DrainOrder {
  readonly draining: boolean
  readonly instanceId: string
}

export class TrackedWorker implements PooledWorker {
  readonly workerId: string
  readonly address: string
  readonly client: WorkerClient
  health: HealthResponse | undefined
  problem: WorkerFailure | undefined
  running = 0
  /** Prompts that it prepares for this gateway. */
  preparing = 0
  /** When it was last picked, as a running number: to prepare a prompt, and to run one. */
  lastPreparation = 0
  lastRun = 0
  /** Apart: a worker that dies of every run may still prepare every prompt. */
  readonly prompts: FailureStreak
  readonly runs: FailureStreak
  readonly #options: TrackingOptions
  /** Requests of other gateways, by the last answer. */
  #othersLoad = 0
  #order: DrainOrder | undefined
  /** Resolves when the last order so far is acknowledged or has failed; undefined without one. */
  #ordering: Promise<void> | undefined
  /** Counts checks and answers: the answer to an older check is dropped. */
  #version = 0
  /** It is to drain and has not acknowledged that yet. */
  #isAboutToDrain = false
  #retirement: Promise<void> | undefined
  #stopped = false
  #cancelCheck: () => void = () => {}
  readonly #firstChecked = Promise.withResolvers<void>()
  readonly #idle = Promise.withResolvers<void>()

  constructor({ workerId, address }: WorkerConfiguration, options: TrackingOptions) {
    this.workerId = workerId
    this.address = addressText(address)
    this.client = new WorkerClient(address)
    this.prompts = new FailureStreak(options.nowMs)
    this.runs = new FailureStreak(options.nowMs)
    this.#options = options
    void this.#check()
  }

  get ready(): boolean {
    return this.health?.status === 'ready' && !this.#stopped
  }

  get leaving(): boolean {
    return this.#isAboutToDrain || this.#retirement !== undefined
  }

  /** Resolves after the first check of its health. */
  get firstChecked(): Promise<void> {
    return this.#firstChecked.promise
  }

  /** Resolves when the last run of one that was retired or closed is over. */
  get idle(): Promise<void> {
    return this.#idle.promise
  }

  get load(): number {
    return this.running + this.#othersLoad
  }

  /** Counts a run. */
  begin(): void {
    this.running += 1
  }

  /** @param failure what broke the run, if anything */
  end(failure: Error | undefined): void {
    this.running -= 1
    if (failure instanceof WorkerFailure && saysNotReady.has(failure.code)) this.#lose()
    if (this.#stopped && this.running === 0) this.#idle.resolve()
  }

  /**
   * Tells it to drain or to serve again, and every later start of it too: a worker that drains must
   * not serve again because it crashed. Orders are carried out one after the other, so that the
   * last one counts.
   *
   * @returns its answer, which already counts
   * @throws {WorkerFailure} when it does not acknowledge that; then nothing is changed
   */
  drain(draining: boolean): Promise<HealthResponse> {
    const order = () => this.#drain(draining)
    const told = this.#ordering === undefined ? order() : this.#ordering.then(order)
    const over = told.then(
      () => {},
      () => {},
    )
    this.#ordering = over
    void over.then(() => {
      if (this.#ordering === over) this.#ordering = undefined
    })
    return told
  }

  async #drain(draining: boolean): Promise<HealthResponse> {
    this.#isAboutToDrain = draining && this.ready
    if (this.#isAboutToDrain) await this.#lastPrompts()
    try {
      const health = await this.client.drain(draining)
      this.#order = { draining, instanceId: health.instanceId }
      this.#take({ health, problem: undefined })
      return health
    } finally {
      this.#isAboutToDrain = false
    }
  }

  /** It is used no more. Resolves when it gets nothing more; what runs on it goes on. */
  retire(): Promise<void> {
    this.#retirement ??= this.#retire()
    return this.#retirement
  }

  async #retire(): Promise<void> {
    if (this.ready) await this.#lastPrompts()
    this.#stop()
    if (this.running === 0) this.#idle.resolve()
  }

  /** Waits as long as it may take until what the worker has prepared runs. */
  #lastPrompts(): Promise<void> {
    return pause(this.#options.timer, LEAVING_MS)
  }

  /** Ends all connections to it. */
  async close(): Promise<void> {
    this.#stop()
    this.#idle.resolve()
    await this.client.close()
  }

  #stop(): void {
    this.#stopped = true
    this.#cancelCheck()
  }

  /** Counts the worker as not ready until it says so itself again. */
  #lose(): void {
    if (this.ready) this.#take({ health: undefined, problem: this.problem })
  }

  async #check(): Promise<void> {
    this.#version += 1
    const version = this.#version
    const answer = await this.#answer()
    if (version === this.#version) this.#take(answer)
    this.#firstChecked.resolve()
  }

  async #answer(): Promise<Pick<PooledWorker, 'health' | 'problem'>> {
    try {
      return { health: await this.#repeatOrder(await this.client.health()), problem: undefined }
    } catch (cause) {
      return { health: undefined, problem: asWorkerFailure(cause) }
    }
  }

  /** A new start of the worker knows nothing of what was asked of an earlier one. */
  async #repeatOrder(health: HealthResponse): Promise<HealthResponse> {
    const order = this.#order
    if (order === undefined || order.instanceId === health.instanceId) return health
    if (health.status === 'loading') return health
    const { instanceId } = health
    const isAsOrdered = (health.status === 'draining') === order.draining
    const answer = isAsOrdered ? health : await this.client.drain(order.draining)
    if (order === this.#order) this.#order = { ...order, instanceId }
    return answer
  }

  #take({ health, problem }: Pick<PooledWorker, 'health' | 'problem'>): void {
    if (this.#stopped) return
    this.#version += 1
    this.health = health
    const taken = health === undefined ? 0 : health.load.queued + health.load.running
    this.#othersLoad = Math.max(0, taken - this.running)
    const before = this.problem
    this.problem = problem
    if (problem?.code !== before?.code) this.#options.onProblem(this.workerId, problem)
    if (this.ready) this.#options.onReady()
    this.#cancelCheck()
    const isSettled = health !== undefined && health.status !== 'loading'
    const delayMs = isSettled ? HEALTH_INTERVAL_MS : RECOVERY_INTERVAL_MS
    this.#cancelCheck = this.#options.timer.after(delayMs, () => void this.#check())
  }
}
