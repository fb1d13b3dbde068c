/**
 * The workers of the cache's soak test: two that share a cache, of which the second is killed or
 * frozen now and then, and one without a cache that says what the answers have to be. Each has one
 * request at a time: only then does an answer depend on nothing but its prompt.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { StateResponse } from '@svc/contracts/worker/protocol'
import {
  MeasuredWorker,
  type MeasuredWorkerOptions,
  type SharedCache,
} from '../../services/worker/bench/measured-worker.ts'
import {
  type Question,
  type TimedAnswer,
  timedAnswer,
} from '../../services/worker/bench/timed-answer.ts'
import type { Gpu } from '../../services/worker/src/engines/engine.ts'

const CONTEXT_TOKENS = 1024
const SEQUENCES = 2
const CACHE_BYTES = 32 * 1024 * 1024
/** A request that a killed worker had is asked again, not for ever. */
const ATTEMPTS_MAX = 5
/** Longer than Redis is waited for, and than a claim on a short prompt lasts. */
const FROZEN_MS = 1_500
/** Where the runtime's states pass through, on Linux. */
const SHARED_MEMORY = '/dev/shm'
const STATE_FILE = /^svc-kv-(\d+)-/

export const cachedWorkers = [0, 1] as const
export type CachedWorker = (typeof cachedWorkers)[number]
/** The one that is killed; the other one lives as long as the test, so that leaks add up. */
const KILLED_WORKER: CachedWorker = 1

/** What all its workers run, and on what. */
export interface FleetModel {
  /** The bundled one, or a file. */
  readonly model: string
  /** Of each worker: several compute prompts in larger chunks. */
  readonly threads: number
  readonly gpu: Gpu
}

export interface FleetAnswer {
  readonly answer: TimedAnswer
  /** What `onAttempt` returned for the attempt that was answered. */
  readonly attempt: number
}

export class CacheFleet {
  readonly reference: MeasuredWorker
  readonly #options: (worker: CachedWorker) => MeasuredWorkerOptions
  readonly #workers: Promise<MeasuredWorker>[]
  /** Ends when the last request of the worker has ended. */
  readonly #lines: Promise<unknown>[] = cachedWorkers.map(() => Promise.resolve())
  readonly #killed = new Set<MeasuredWorker>()
  readonly #pids = new Set<number>()
  readonly #temporaryFolder: string
  #mismatchesOfKilled = 0
  retries = 0

  private constructor(
    reference: MeasuredWorker,
    workers: readonly MeasuredWorker[],
    temporaryFolder: string,
    options: (worker: CachedWorker) => MeasuredWorkerOptions,
  ) {
    this.reference = reference
    this.#workers = workers.map((worker) => Promise.resolve(worker))
    for (const { pid } of [reference, ...workers]) this.#pids.add(pid)
    this.#temporaryFolder = temporaryFolder
    this.#options = options
  }

  static async start(
    folder: string,
    { shared, threads, ...run }: FleetModel & { readonly shared: SharedCache },
  ): Promise<CacheFleet> {
    const temporaryFolder = join(folder, 'temporary')
    mkdirSync(temporaryFolder)
    const env = {
      TMPDIR: temporaryFolder,
      SVC_THREADS: `${threads}`,
      NODE_OPTIONS: `--expose-gc --import ${import.meta.resolve('./collect-garbage.ts')}`,
    }
    const common = {
      ...run,
      folder,
      contextSize: CONTEXT_TOKENS,
      sequences: SEQUENCES,
      env,
    }
    const options = (worker: CachedWorker): MeasuredWorkerOptions => ({
      ...common,
      workerId: `soak-${worker}`,
      cache: 'on',
      cacheBytes: CACHE_BYTES,
      shared,
    })
    const [reference, ...workers] = await Promise.all([
      MeasuredWorker.start({ ...common, workerId: 'soak-reference', cache: 'off' }),
      ...cachedWorkers.map((worker) => MeasuredWorker.start(options(worker))),
    ])
    return new CacheFleet(reference, workers, temporaryFolder, options)
  }

  /**
   * Has a prompt answered, by a new process where the worker is killed meanwhile.
   *
   * @param onAttempt called before each time that the prompt is sent
   */
  ask(worker: CachedWorker, question: Question, onAttempt: () => number): Promise<FleetAnswer> {
    const asked = (this.#lines[worker] ?? Promise.resolve()).then(() =>
      this.#attempt(worker, question, onAttempt),
    )
    this.#lines[worker] = asked.catch(() => {})
    return asked
  }

  /** What the worker would answer to a prompt of nobody is what it has to answer to this one. */
  askReference(question: Question): Promise<TimedAnswer> {
    return timedAnswer(this.reference, question)
  }

  /** As a crash would end it, with whatever it is doing; another process takes its place. */
  async killAndRestart(): Promise<void> {
    const victim = await this.worker(KILLED_WORKER)
    this.#mismatchesOfKilled += (await victim.client.state()).meterMismatches
    const next = Promise.withResolvers<MeasuredWorker>()
    this.#workers[KILLED_WORKER] = next.promise
    this.#killed.add(victim)
    await victim.kill()
    const started = await MeasuredWorker.start(this.#options(KILLED_WORKER))
    this.#pids.add(started.pid)
    next.resolve(started)
  }

  /** What it has begun goes on afterwards. Resolves at once. */
  async freezeForAMoment(): Promise<void> {
    const worker = await this.worker(KILLED_WORKER)
    worker.freeze()
    void setTimeout(FROZEN_MS).then(() => worker.thaw())
  }

  /** The process that is there now, or will be in a moment. */
  worker(worker: CachedWorker): Promise<MeasuredWorker> {
    const found = this.#workers[worker]
    if (found === undefined) throw new Error(`there is no worker ${worker}`)
    return found
  }

  async all(): Promise<readonly MeasuredWorker[]> {
    return [...(await Promise.all(this.#workers)), this.reference]
  }

  async states(): Promise<readonly StateResponse[]> {
    return await Promise.all((await this.all()).map(({ client }) => client.state()))
  }

  /** Of all processes that there ever were. */
  async meterMismatches(): Promise<number> {
    const states = await this.states()
    return states.reduce((sum, state) => sum + state.meterMismatches, this.#mismatchesOfKilled)
  }

  /** Files that the workers have left behind, the killed ones as well. */
  leftFiles(): readonly string[] {
    return [...this.#leftStates(), ...readdirSync(this.#temporaryFolder)]
  }

  async stop(): Promise<void> {
    await Promise.all((await this.all()).map((worker) => worker.stop()))
    for (const name of this.#leftStates()) rmSync(join(SHARED_MEMORY, name), { force: true })
  }

  #leftStates(): readonly string[] {
    return readdirSync(SHARED_MEMORY).filter((name) =>
      this.#pids.has(Number(STATE_FILE.exec(name)?.[1])),
    )
  }

  async #attempt(
    name: CachedWorker,
    question: Question,
    onAttempt: () => number,
  ): Promise<FleetAnswer> {
    for (let attempts = 1; ; attempts += 1) {
      const worker = await this.worker(name)
      const attempt = onAttempt()
      try {
        return { answer: await timedAnswer(worker, question), attempt }
      } catch (error) {
        if (!this.#killed.has(worker) || attempts === ATTEMPTS_MAX) throw error
        this.retries += 1
      }
    }
  }
}
