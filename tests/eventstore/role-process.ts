/** Processes of the service that a test restarts as they were. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Operations } from '@svc/contracts/admin/operations'
import { createRemoteOperations } from '@svc/operator/remote/remote-operations'
import { DataFolder } from '@svc/server/data-folder/data-folder'
import { type ReadyLine, ServerProcess } from '@svc/testing/server-process'
import { expect } from 'vitest'

/** Well above what it takes on a busy machine. */
const READY_ANSWER_MS = 30_000
const SVC = fileURLToPath(new URL('../../svc', import.meta.url))

export interface Restartable {
  start(): Promise<void>
  /** In order, as a supervisor asks for it. */
  stop(): Promise<void>
  kill(): Promise<void>
  isReady(): Promise<boolean>
  /** Who it is, and why it is not ready. */
  describe(): Promise<string>
}

export interface RoleProcessOptions {
  readonly role: string
  readonly dataDir: string
  readonly port: number
  readonly environment: Readonly<Record<string, string>>
}

/** `svc start ROLE`. */
export class RoleProcess implements Restartable {
  readonly url: string
  readonly #options: RoleProcessOptions
  #process: ServerProcess | undefined
  ready: ReadyLine | undefined
  /** Whether the process is gone: who did not kill it asks why. */
  hasEnded = false

  constructor(options: RoleProcessOptions) {
    this.#options = options
    this.url = `http://127.0.0.1:${options.port}`
  }

  async start(): Promise<void> {
    const { role, dataDir, port, environment } = this.#options
    const started = new ServerProcess(dataDir, environment, ['--port', `${port}`, role])
    this.#process = started
    this.hasEnded = false
    void started.exited.then(() => {
      if (this.#process === started) this.hasEnded = true
    })
    this.ready = await started.ready()
  }

  /** What its last process has said on standard error. */
  get said(): string {
    return this.#process?.stderr ?? ''
  }

  get operations(): Operations {
    const operatorToken = new DataFolder(this.#options.dataDir).secrets().operatorToken
    const { signal } = new AbortController()
    return createRemoteOperations({ baseUrl: this.url, operatorToken, signal })
  }

  async stop(): Promise<void> {
    expect(await this.#process?.stop()).toEqual({ code: 0, signal: null })
  }

  async kill(): Promise<void> {
    this.#process?.kill('SIGKILL')
    await this.#process?.exited
  }

  /** @param withinMs after which no answer is an answer, as for a balancer */
  async isReady(withinMs = READY_ANSWER_MS): Promise<boolean> {
    return fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(withinMs) }).then(
      ({ status }) => status === 200,
      () => false,
    )
  }

  /** For a test that has waited in vain. */
  async describe(): Promise<string> {
    const answer = await fetch(`${this.url}/readyz`).then((got) => got.text(), String)
    return `${this.#options.role} at ${this.url} answers ${answer}, and has said: ${this.said}`
  }
}

/** `svc start worker`, with the bundled model, on a socket. */
export class WorkerProcess implements Restartable {
  readonly socketPath: string
  readonly #id: string
  #child: ChildProcess | undefined

  constructor(folder: string, id: string) {
    this.#id = id
    this.socketPath = join(folder, `${id}.sock`)
  }

  async start(): Promise<void> {
    const words = ['--json', '--socket', this.socketPath, '--worker-id', this.#id]
    const child = spawn(SVC, ['start', 'worker', ...words], {
      env: { PATH: process.env.PATH, SVC_THREADS: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#child = child
    await once(createInterface({ input: child.stdout }), 'line')
  }

  async stop(): Promise<void> {
    expect(await this.#end('SIGTERM')).toEqual([0, null])
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Its ready line says so. */
  async isReady(): Promise<boolean> {
    return true
  }

  async describe(): Promise<string> {
    return `worker ${this.#id}`
  }

  async #end(signal: NodeJS.Signals): Promise<unknown> {
    if (this.#child === undefined) return undefined
    const ended = once(this.#child, 'exit')
    this.#child.kill(signal)
    return ended
  }
}
