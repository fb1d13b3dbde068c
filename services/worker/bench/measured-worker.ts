/** A worker process, started as an operator would start it, with a client. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type HealthResponse, healthResponse } from '@svc/contracts/worker/protocol'
import { WorkerClient } from '@svc/testing/protocol-client'
import type { Gpu } from '../src/engines/engine.ts'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))
/** As the supervisor sets it. */
const LIBUV_THREADS = '16'
const STOP_MS_MAX = 40_000
/** A tenant of a benchmark may write more than one of a service. */
const TENANT_BYTES_MAX = 64 * 1024 ** 3
/** Of what the worker says on stderr, kept for the case that it fails. */
const LOG_CHARACTERS_MAX = 20_000

export interface MeasuredWorkerOptions {
  /** Under it the worker's socket and its temporary files are. */
  readonly folder: string
  readonly workerId: string
  readonly model: string
  /** Default: `off`. */
  readonly gpu?: Gpu
  readonly contextSize: number
  readonly sequences: number
  readonly cache: 'on' | 'off'
  /** Of its own memory for blocks. The worker's default when left out. */
  readonly cacheBytes?: number
  /** Joins the workers with the same place and the same secret. */
  readonly shared?: SharedCache | undefined
  readonly env?: Readonly<Record<string, string>>
}

export interface SharedCache {
  readonly url: string
  readonly prefix: string
  readonly secret: string
}

export class MeasuredWorker {
  readonly client: WorkerClient
  readonly health: HealthResponse
  readonly pid: number
  readonly #child: ChildProcess
  readonly #folder: string
  readonly #exited: Promise<unknown>

  private constructor(started: Started, health: HealthResponse) {
    this.client = new WorkerClient({ socketPath: started.socketPath })
    this.health = health
    this.pid = started.child.pid ?? 0
    this.#child = started.child
    this.#folder = started.folder
    this.#exited = started.exited
  }

  /** @throws Error with the worker's words when it does not come up */
  static async start(options: MeasuredWorkerOptions): Promise<MeasuredWorker> {
    const started = start(options)
    const { child, exited } = started
    if (child.stdout === null) throw new Error('no standard output')
    for await (const line of createInterface({ input: child.stdout })) {
      const said = JSON.parse(line)
      if (said.type !== 'ready') throw new Error(`the worker refused: ${said.reason}`)
      child.stdout.resume()
      return new MeasuredWorker(started, healthResponse.parse(said.health))
    }
    await exited
    throw new Error(`the worker ended before it was ready: ${started.log()}`)
  }

  /** Ends it in order, or by force when that takes too long, and removes its files. */
  async stop(): Promise<void> {
    const force = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS_MAX)
    this.#child.kill('SIGTERM')
    await this.#exited
    clearTimeout(force)
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** Ends it as a crash would, whatever it is doing. What it leaves behind stays. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#exited
  }

  /** Stops it without ending it, whatever it is doing. Without effect on one that has ended. */
  freeze(): void {
    this.#child.kill('SIGSTOP')
  }

  /** It goes on with what it was doing. */
  thaw(): void {
    this.#child.kill('SIGCONT')
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }
}

interface Started {
  readonly child: ChildProcess
  readonly socketPath: string
  readonly folder: string
  readonly exited: Promise<unknown>
  /** The last that it said. */
  readonly log: () => string
}

function start(options: MeasuredWorkerOptions): Started {
  const {
    model,
    gpu = 'off',
    contextSize,
    sequences,
    cache,
    cacheBytes,
    workerId,
    shared,
  } = options
  const folder = mkdtempSync(join(options.folder, 'worker-'))
  const socketPath = join(folder, 'socket')
  const words = [
    ...['--socket', socketPath, '--worker-id', workerId, '--supervised'],
    ...['--model', model, '--context-size', `${contextSize}`, '--sequences', `${sequences}`],
    ...['--gpu', gpu, '--cache', cache],
    ...(cacheBytes === undefined ? [] : ['--cache-bytes', `${cacheBytes}`]),
  ]
  // Supervised: a worker ends with its parent, however that ends.
  const child = spawn(process.execPath, [MAIN, ...words], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: environment(shared, options.env),
  })
  child.stdin.on('error', () => {})
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-LOG_CHARACTERS_MAX)
  })
  return { child, socketPath, folder, exited: once(child, 'exit'), log: () => log }
}

/** Nothing of the caller's own configuration reaches what is measured. */
function environment(
  shared: SharedCache | undefined,
  env: Readonly<Record<string, string>> = {},
): NodeJS.ProcessEnv {
  const cache =
    shared === undefined
      ? {}
      : {
          REDIS_URL: shared.url,
          SVC_REDIS_PREFIX: shared.prefix,
          SVC_CACHE_SECRET: shared.secret,
          SVC_CACHE_TENANT_BYTES: `${TENANT_BYTES_MAX}`,
        }
  return { PATH: process.env.PATH, UV_THREADPOOL_SIZE: LIBUV_THREADS, ...cache, ...env }
}
