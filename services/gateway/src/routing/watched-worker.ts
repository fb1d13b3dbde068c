/**
 * One worker as its gateway sees it: what it last said of itself, and how much it has to do.
 *
 *     unknown ──an answer──▶ loading | ready | draining ──no answer, a lost connection──▶ unknown
 *
 * It is looked at all the time, one look after the other: seldom while it serves or stands aside,
 * often while it starts or is lost, so that it is back soon. The trade is a hundred milliseconds of
 * not knowing against calls that nobody needs. Whatever a newer word has overtaken is dropped.
 *
 * A worker that is told to stand aside, or that leaves, gets no more prompts first, and nothing at
 * all a moment later: a prompt that it has prepared already may fit no other worker.
 */

import type { Timer } from '@svc/contracts/ports/time'
import { addressText, type WorkerAddress } from '@svc/contracts/worker/address'
import { asWorkerFailure, WorkerFailure } from '@svc/contracts/worker/failure'
import type { HealthResponse } from '@svc/contracts/worker/protocol'
import { WorkerClient } from './worker-client.ts'

/** How often a worker that serves or stands aside is looked at. */
export const HEALTH_INTERVAL_MS = 1_000
/** How often a worker that is starting or lost is looked at. */
export const RECOVERY_INTERVAL_MS = 100

export interface WorkerConfiguration {
  readonly workerId: string
  readonly address: WorkerAddress
}

export interface PooledWorker {
  readonly workerId: string
  /** Where it is, for people: without its secret. */
  readonly address: string
  readonly client: WorkerClient
  /** What it last said; undefined while it gives no answer. */
  readonly health: HealthResponse | undefined
  /** Generations of this gateway that run on it. */
  readonly running: number
  /** Requests of all gateways that it has taken and not ended, as far as known. */
  readonly load: number
  readonly ready: boolean
  /** It is about to stand aside, or to go: it takes only what no other can, and soon nothing. */
  readonly leaving: boolean
  /** Why its last health call failed. */
  readonly problem: WorkerFailure | undefined
}

export interface WatchOptions {
  readonly timer: Timer
  /** Told when the reason changes for which it gives no answer; with none when it answers again. */
  readonly onProblem: (workerId: string, problem: WorkerFailure | undefined) => void
  /** Told after every answer of a worker that serves. */
  readonly onReady: () => void
}

/**
 * From the moment a worker gets no more prompts to prepare until it gets nothing at all: those that
 * it has prepared can run on no worker of another model, and begin long before.
 */
export const LEAVING_MS = 250

/** Failures after which a worker is looked at again before it gets another request. */
const saysNotReady: ReadonlySet<WorkerFailure['code']> = new Set(['unreachable', 'draining'])

/** What the operator last asked of it, and which of its starts has heard that. */
interface DrainOrder {
  readonly draining: boolean
  readonly instanceId: string
}

export class WatchedWorker implements PooledWorker {
  readonly workerId: string
  readonly address: string
  readonly client: WorkerClient
  health: HealthResponse | undefined
  problem: WorkerFailure | undefined
  running = 0
  /** The number of its last turn among those that could have prepared or run as well. */
  lastPreparation = 0
  lastRun = 0
  readonly #options: WatchOptions
  /** Requests of other gateways, by the last answer. */
  #othersLoad = 0
  #order: DrainOrder | undefined
  /** Counts what was heard of it, or asked: an answer to an older question is dropped. */
  #word = 0
  /** It was asked to stand aside and has not heard yet. */
  #isStandingAside = false
  #retirement: Promise<void> | undefined
  #stopped = false
  #cancelLook: () => void = () => {}
  readonly #seen = Promise.withResolvers<void>()
  readonly #idle = Promise.withResolvers<void>()

  constructor({ workerId, address }: WorkerConfiguration, options: WatchOptions) {
    this.workerId = workerId
    this.address = addressText(address)
    this.client = new WorkerClient(address)
    this.#options = options
    void this.#look()
  }

  get ready(): boolean {
    return this.health?.status === 'ready' && !this.#stopped
  }

  get leaving(): boolean {
    return this.#isStandingAside || this.#retirement !== undefined
  }

  /** Resolves when it was looked at for the first time. */
  get seen(): Promise<void> {
    return this.#seen.promise
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
   * Tells it to take no more requests, or to take them again, and every later start of it too: a
   * worker that was told to stand aside must not come back by falling over.
   *
   * @returns its answer, which already counts
   * @throws {WorkerFailure} when it has not heard; then nothing is changed
   */
  async drain(draining: boolean): Promise<HealthResponse> {
    this.#isStandingAside = draining && this.ready
    if (this.#isStandingAside) await this.#lastPrompts()
    try {
      const health = await this.client.drain(draining)
      this.#order = { draining, instanceId: health.instanceId }
      this.#take({ health, problem: undefined })
      return health
    } finally {
      this.#isStandingAside = false
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

  /** As long as it may take until what it has prepared runs. */
  #lastPrompts(): Promise<void> {
    return new Promise((resolve) => this.#options.timer.after(LEAVING_MS, resolve))
  }

  /** Ends all connections to it. */
  async close(): Promise<void> {
    this.#stop()
    this.#idle.resolve()
    await this.client.close()
  }

  #stop(): void {
    this.#stopped = true
    this.#cancelLook()
  }

  /** Not ready until it says so itself again. */
  #lose(): void {
    if (this.ready) this.#take({ health: undefined, problem: this.problem })
  }

  async #look(): Promise<void> {
    this.#word += 1
    const word = this.#word
    const seen = await this.#answer()
    if (word === this.#word) this.#take(seen)
    this.#seen.resolve()
  }

  async #answer(): Promise<Pick<PooledWorker, 'health' | 'problem'>> {
    try {
      return { health: await this.#orderAgain(await this.client.health()), problem: undefined }
    } catch (cause) {
      return { health: undefined, problem: asWorkerFailure(cause) }
    }
  }

  /** A new start of the worker knows nothing of what was asked of an earlier one. */
  async #orderAgain(health: HealthResponse): Promise<HealthResponse> {
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
    this.#word += 1
    this.health = health
    const taken = health === undefined ? 0 : health.load.queued + health.load.running
    this.#othersLoad = Math.max(0, taken - this.running)
    const before = this.problem
    this.problem = problem
    if (problem?.code !== before?.code) this.#options.onProblem(this.workerId, problem)
    if (this.ready) this.#options.onReady()
    this.#cancelLook()
    const isSettled = health !== undefined && health.status !== 'loading'
    const delayMs = isSettled ? HEALTH_INTERVAL_MS : RECOVERY_INTERVAL_MS
    this.#cancelLook = this.#options.timer.after(delayMs, () => void this.#look())
  }
}
