/**
 * The workers that requests can run on, and how each is doing.
 *
 * A worker is *ready* from a health answer that says so until one that does not, or until a call to
 * it fails to connect: it is then looked at again soon, and comes back by itself. The pool starts
 * and stops no worker; a supervisor does.
 */
import type { HealthAnswer } from '@svc/contracts/worker-protocol'
import type { Timer } from '@svc/ledger/ports'
import { type WorkerAddress, WorkerClient } from './worker-client.ts'
import { asWorkerFailure, overloaded, WorkerFailure } from './worker-failure.ts'

/** How often a ready worker is looked at. */
export const HEALTH_INTERVAL_MS = 1_000
/** How often a worker that is starting or lost is looked at. */
export const RECOVERY_INTERVAL_MS = 100

export interface WorkerConfiguration {
  readonly workerId: string
  readonly address: WorkerAddress
}

export interface PooledWorker {
  readonly workerId: string
  readonly client: WorkerClient
  readonly health: HealthAnswer | undefined
  /** Generations of this gateway that run on it. */
  readonly running: number
  readonly ready: boolean
}

/** A worker that was chosen for one run; given back when the run is over. */
export interface Lease {
  readonly worker: PooledWorker
  /** @param failure what broke the run, if anything: a lost connection makes the worker unready */
  release(failure: Error | undefined): void
}

export interface WorkerPool {
  readonly workers: readonly PooledWorker[]
  /** The ready worker with the fewest runs. @throws {ServiceError} `server_is_overloaded` */
  pick(avoid?: PooledWorker): PooledWorker
  /**
   * The same, counted as a run, of those that give the same tokens.
   *
   * @param avoid a worker that is taken only when no other is ready
   */
  lease(fingerprint: string, avoid?: PooledWorker): Lease
  /** Resolves to whether some worker is ready before the time is over. */
  whenReady(timeoutMs: number): Promise<boolean>
  close(): Promise<void>
}

export interface WorkerPoolOptions {
  readonly workers: readonly WorkerConfiguration[]
  readonly timer: Timer
  /**
   * Told once when a worker gives no health answer, again when that has another reason, and, with
   * no problem, when it answers again.
   */
  readonly onProblem?: (workerId: string, problem: WorkerFailure | undefined) => void
}

export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  return new PollingWorkerPool(options)
}

class Worker implements PooledWorker {
  readonly workerId: string
  readonly client: WorkerClient
  health: HealthAnswer | undefined
  running = 0
  /** Why its last health call failed. */
  problem: WorkerFailure | undefined
  stopPolling: () => void = () => {}

  constructor({ workerId, address }: WorkerConfiguration) {
    this.workerId = workerId
    this.client = new WorkerClient(address)
  }

  get ready(): boolean {
    return this.health?.status === 'ready'
  }
}

class PollingWorkerPool implements WorkerPool {
  readonly workers: readonly Worker[]
  readonly #timer: Timer
  readonly #onProblem: NonNullable<WorkerPoolOptions['onProblem']>
  readonly #waiting = new Set<() => void>()
  #closed = false

  constructor({ workers, timer, onProblem = () => {} }: WorkerPoolOptions) {
    this.workers = workers.map((worker) => new Worker(worker))
    this.#timer = timer
    this.#onProblem = onProblem
    for (const worker of this.workers) void this.#poll(worker)
  }

  pick(avoid?: PooledWorker): Worker {
    return this.#leastLoaded(() => true, avoid)
  }

  lease(fingerprint: string, avoid?: PooledWorker): Lease {
    const worker = this.#leastLoaded(({ health }) => health?.fingerprint === fingerprint, avoid)
    worker.running += 1
    return { worker, release: (failure) => this.#release(worker, failure) }
  }

  whenReady(timeoutMs: number): Promise<boolean> {
    if (this.workers.some(({ ready }) => ready)) return Promise.resolve(true)
    return new Promise((resolve) => {
      const done = () => {
        stop()
        this.#waiting.delete(done)
        resolve(this.workers.some(({ ready }) => ready))
      }
      const stop = this.#timer.after(timeoutMs, done)
      this.#waiting.add(done)
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const worker of this.workers) worker.stopPolling()
    for (const done of [...this.#waiting]) done()
    await Promise.all(this.workers.map(({ client }) => client.close()))
  }

  #leastLoaded(fits: (worker: Worker) => boolean, avoid: PooledWorker | undefined): Worker {
    let best: Worker | undefined
    for (const worker of this.workers) {
      if (!worker.ready || !fits(worker)) continue
      if (best === undefined || best === avoid) best = worker
      else if (worker !== avoid && worker.running < best.running) best = worker
    }
    if (best === undefined) throw overloaded('No inference worker is ready.')
    return best
  }

  #release(worker: Worker, failure: Error | undefined): void {
    worker.running -= 1
    if (failure instanceof WorkerFailure && failure.code === 'unreachable') this.#lose(worker)
  }

  /** Not ready until it says so itself again. */
  #lose(worker: Worker): void {
    if (this.#closed || !worker.ready) return
    worker.health = undefined
    worker.stopPolling()
    this.#schedule(worker)
  }

  async #poll(worker: Worker): Promise<void> {
    const { health, problem } = await look(worker)
    if (this.#closed) return
    worker.health = health
    if (problem?.code !== worker.problem?.code) this.#onProblem(worker.workerId, problem)
    worker.problem = problem
    if (worker.ready) for (const done of [...this.#waiting]) done()
    this.#schedule(worker)
  }

  #schedule(worker: Worker): void {
    const delayMs = worker.ready ? HEALTH_INTERVAL_MS : RECOVERY_INTERVAL_MS
    worker.stopPolling = this.#timer.after(delayMs, () => void this.#poll(worker))
  }
}

async function look({ client }: Worker): Promise<Pick<Worker, 'health' | 'problem'>> {
  try {
    return { health: await client.health(), problem: undefined }
  } catch (cause) {
    return { health: undefined, problem: asWorkerFailure(cause) }
  }
}
