/**
 * Keeps one worker process alive, so that a crash in native code ends the requests on that worker
 * and nothing else.
 *
 *     starting ──ready──▶ ready ──ends or hangs──▶ restarting ──ready──▶ ready
 *        └──refuses──▶ failed            any state ──stop──▶ stopped
 *
 * A worker that refuses its first start (a bad model file) is not tried again: the reason would
 * be the same. One that has served before is started again for ever, with a delay that doubles
 * from 250 ms to 10 s and falls back after 30 healthy seconds: the trade is a slow loop of
 * attempts against an operator who has to notice.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Backoff } from '@svc/contracts/ports/backoff'
import type { HealthResponse } from '@svc/contracts/worker/protocol'
import { systemTimer } from '@svc/infra/system/system-timer'
import type { Log } from '../process/log.ts'
import { checkHealth } from './health-check.ts'
import { startWorkerProcess, type WorkerEnd, type WorkerProcess } from './worker-process.ts'

/** The shortest limit of a socket's path is 104 bytes (macOS). */
const SOCKET_PATH_CHARACTERS_MAX = 100
/** First starts that may end for no definite reason before the worker counts as failed. */
const FIRST_STARTS_MAX = 3

/** When a supervisor looks after its worker and how long it waits. Milliseconds throughout. */
export interface SupervisorTimings {
  /** The time between two looks at the worker's health. */
  readonly heartbeatMs: number
  /** A worker that does not answer for this long is killed. */
  readonly unresponsiveMs: number
  readonly backOffMinMs: number
  readonly backOffMaxMs: number
  /** A worker that was healthy for this long restarts without a growing delay. */
  readonly healthyResetMs: number
  /** A starting worker that says nothing for this long is killed. */
  readonly startSilenceMs: number
}

const defaultTimings: SupervisorTimings = {
  heartbeatMs: 1000,
  unresponsiveMs: 5000,
  backOffMinMs: 250,
  backOffMaxMs: 10_000,
  healthyResetMs: 30_000,
  startSilenceMs: 120_000,
}

export type SupervisedState = 'starting' | 'ready' | 'restarting' | 'failed' | 'stopped'

export interface SuperviseOptions {
  readonly workerId: string
  /** Arguments of `main.ts` about the model, such as `['--model', 'demo']`. */
  readonly modelArguments: readonly string[]
  readonly log: Log
  /** The supervisor calls this after every change of state. */
  readonly onChange?: (state: SupervisedState) => void
  /** Variables for the worker; what the host has of settings and URLs is not inherited. */
  readonly env?: Readonly<Record<string, string>>
  readonly timings?: Partial<SupervisorTimings>
}

export interface Supervised {
  readonly workerId: string
  readonly address: { readonly socketPath: string }
  readonly state: SupervisedState
  /** Starts after the first one. */
  readonly restarts: number
  /** The process id of the running worker, if there is one. */
  readonly pid: number | undefined
  /** Resolves when the worker serves; rejects with one line when it failed or was stopped. */
  ready(): Promise<HealthResponse>
  /** Lets running requests end, at most for `graceMs`; then nothing is left of the worker. */
  stop(graceMs: number): Promise<void>
}

export function superviseWorker(options: SuperviseOptions): Supervised {
  return new Supervisor(options)
}

class Supervisor implements Supervised {
  readonly workerId: string
  readonly address: { readonly socketPath: string }
  readonly #options: SuperviseOptions
  readonly #timings: SupervisorTimings
  readonly #folder: string | null
  #state: SupervisedState = 'starting'
  #process: WorkerProcess | undefined
  #starts = 0
  #everReady = false
  /** What the last ready worker computed on: the next one computes on the same. */
  #chosenGpu: readonly string[] = []
  readonly #backoff: Backoff
  #ready: PromiseWithResolvers<HealthResponse> = Promise.withResolvers()
  readonly #stopped = Promise.withResolvers<void>()
  /** Whichever wait is on: for the next look, the next start, or a silent start. */
  #cancelWait: () => void = () => {}
  #healthySinceMs = 0
  /** Whether nobody was there at the last look. */
  #wasGone = false
  /** Why this process killed the worker, which its end does not tell. */
  #killedFor: string | null = null

  constructor(options: SuperviseOptions) {
    this.#options = options
    this.workerId = options.workerId
    this.#timings = { ...defaultTimings, ...options.timings }
    const { backOffMinMs: firstMs, backOffMaxMs: longestMs } = this.#timings
    this.#backoff = new Backoff(systemTimer, { firstMs, longestMs })
    const place = socketPlace()
    this.#folder = place.folder
    this.address = { socketPath: place.socketPath }
    this.#renewReady()
    this.#start()
  }

  get state(): SupervisedState {
    return this.#state
  }

  get restarts(): number {
    return Math.max(0, this.#starts - 1)
  }

  get pid(): number | undefined {
    return this.#process?.pid
  }

  ready(): Promise<HealthResponse> {
    return this.#ready.promise
  }

  async stop(graceMs: number): Promise<void> {
    if (this.#state === 'stopped') return this.#stopped.promise
    const running = this.#process
    this.#ready.reject(new Error(`worker ${this.workerId} was stopped`))
    this.#renewReady(new Error(`worker ${this.workerId} is stopped`))
    this.#cancelWait()
    this.#become('stopped')
    if (running === undefined) this.#cleanUp()
    else {
      running.kill('SIGTERM')
      this.#wait(graceMs, () => running.kill('SIGKILL'))
    }
    return this.#stopped.promise
  }

  #start(): void {
    this.#starts += 1
    if (this.#folder !== null) rmSync(this.address.socketPath, { force: true })
    const child = startWorkerProcess({
      socketPath: this.address.socketPath,
      workerId: this.workerId,
      modelArguments: [...this.#options.modelArguments, ...this.#chosenGpu],
      env: this.#options.env ?? {},
      log: this.#options.log,
      onReady: (health) => this.#onReady(child, health),
      onSign: () => {
        if (this.#state === 'starting' || this.#state === 'restarting') this.#waitForSign(child)
      },
      onEnd: (end) => this.#onEnd(end),
    })
    this.#process = child
    this.#waitForSign(child)
  }

  #waitForSign(child: WorkerProcess): void {
    const { startSilenceMs } = this.#timings
    this.#wait(startSilenceMs, () => {
      this.#killedFor = `the starting worker gave no sign for ${startSilenceMs} ms and was killed`
      child.kill('SIGKILL')
    })
  }

  #onReady(child: WorkerProcess, health: HealthResponse): void {
    if (this.#state === 'stopped') return
    this.#everReady = true
    this.#chosenGpu = chosenGpu(health)
    this.#healthySinceMs = performance.now()
    this.#become('ready')
    this.#ready.resolve(health)
    this.#waitForHeartbeat(child)
  }

  #waitForHeartbeat(child: WorkerProcess): void {
    this.#wait(this.#timings.heartbeatMs, () => void this.#heartbeat(child))
  }

  async #heartbeat(child: WorkerProcess): Promise<void> {
    const answer = await checkHealth(this.address.socketPath, this.#timings.unresponsiveMs)
    if (child !== this.#process || this.#state !== 'ready') return
    // The end of a process is told a moment after its socket has closed: then it needs no kill.
    const isGone = answer === 'nobody there'
    const isStillGone = isGone && this.#wasGone
    this.#wasGone = isGone
    if (answer === null || isStillGone) {
      this.#options.log('error', 'worker does not respond, killing it', { workerId: this.workerId })
      this.#killedFor = 'the worker did not respond and was killed'
      child.kill('SIGKILL')
      return
    }
    const isHealthy = answer !== 'not asked' && !isGone
    if (isHealthy && performance.now() - this.#healthySinceMs > this.#timings.healthyResetMs) {
      this.#backoff.reset()
    }
    this.#waitForHeartbeat(child)
  }

  #onEnd({ reason: told, definite }: WorkerEnd): void {
    const reason = this.#killedFor ?? told
    this.#killedFor = null
    this.#wasGone = false
    this.#process = undefined
    this.#cancelWait()
    if (this.#state === 'stopped') {
      this.#cleanUp()
      return
    }
    const { workerId } = this
    if (!this.#everReady && (definite || this.#starts >= FIRST_STARTS_MAX)) {
      this.#options.log('error', 'worker failed to start', { workerId, reason })
      this.#ready.reject(new Error(reason))
      this.#removeFolder()
      this.#become('failed')
      return
    }
    const delayMs = this.#backoff.take()
    this.#options.log('error', 'worker exited, restarting', {
      workerId,
      reason,
      delayMs,
    })
    if (this.#state === 'ready') this.#renewReady()
    this.#become('restarting')
    this.#wait(delayMs, () => this.#start())
  }

  /** @param error what the new promise is rejected with at once, if anything */
  #renewReady(error?: Error): void {
    this.#ready = Promise.withResolvers<HealthResponse>()
    // Without this a rejection that nobody waits for would end the process.
    this.#ready.promise.catch(() => {})
    if (error !== undefined) this.#ready.reject(error)
  }

  #wait(delayMs: number, then: () => void): void {
    this.#cancelWait()
    this.#cancelWait = systemTimer.after(delayMs, then)
  }

  #become(state: SupervisedState): void {
    this.#state = state
    this.#options.onChange?.(state)
  }

  #cleanUp(): void {
    this.#removeFolder()
    this.#stopped.resolve()
  }

  #removeFolder(): void {
    if (this.#folder !== null) rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** Argument of `main.ts`; a worker that has nothing to choose takes no notice of it. */
function chosenGpu({ device, gpuProblem }: HealthResponse): readonly string[] {
  const chosen = { gpu: device === 'cpu' ? 'off' : device, problem: gpuProblem }
  return ['--chosen-gpu', JSON.stringify(chosen)]
}

/** A private folder (mode 0700) for the socket; on Windows a named pipe, which needs no folder. */
function socketPlace(): { folder: string | null; socketPath: string } {
  if (process.platform === 'win32') {
    return { folder: null, socketPath: `\\\\.\\pipe\\svc-${randomBytes(12).toString('hex')}` }
  }
  const base = join(tmpdir(), 'svc-XXXXXX', 'w.sock').length
  const root = base < SOCKET_PATH_CHARACTERS_MAX ? tmpdir() : '/tmp'
  const folder = mkdtempSync(join(root, 'svc-'))
  return { folder, socketPath: join(folder, 'w.sock') }
}
