/** llama.cpp's own server, which bills nobody and keeps no tenants apart. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '@svc/testing/free-port'
import type { ModelUnderTest } from '../model-under-test.ts'
import type { ServerSize, WholeServer } from './whole-server.ts'

const READY_MS_MAX = 120_000
const POLL_MS = 100
/** More than any model has. */
const ALL_LAYERS = '999'
/** Of what it says, kept for the case that it fails. */
const LOG_CHARACTERS_MAX = 20_000

interface Run {
  readonly child: ChildProcess
  readonly port: number
  readonly exited: Promise<unknown>
  log: string
}

/** As it is delivered, but for the sizes, which are those of the other server. */
export class LlamaServer implements WholeServer {
  readonly name = 'llama_server'
  restarts = 0
  readonly #program: string
  readonly #words: readonly string[]
  #run: Run | null = null

  private constructor(program: string, words: readonly string[]) {
    this.#program = program
    this.#words = words
  }

  /**
   * @param program the binary
   * @throws Error with the server's words when it does not come up
   */
  static async start(
    program: string,
    model: ModelUnderTest,
    { contextTokens, sequences, threads, gpu }: ServerSize,
  ): Promise<LlamaServer> {
    const layers = gpu === 'off' ? '0' : ALL_LAYERS
    const words = [
      ...['--model', model.path, '--host', '127.0.0.1'],
      // Its context is the sum of those of its sequences.
      ...['--parallel', `${sequences}`, '--ctx-size', `${contextTokens * sequences}`],
      ...['--threads', `${threads}`, '--threads-batch', `${threads}`, '--gpu-layers', layers],
      ...['--flash-attn', 'on', '--no-webui'],
    ]
    const server = new LlamaServer(program, words)
    await server.#start()
    return server
  }

  /** Another one after each start. */
  get baseUrl(): string {
    return `http://127.0.0.1:${this.#run?.port}`
  }

  get pid(): number {
    return this.#run?.child.pid ?? 0
  }

  keyOf(): string {
    return 'none is asked for'
  }

  async restart(): Promise<void> {
    this.restarts += 1
    await this.#end('SIGKILL')
    await this.#start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // One that stands still does not heed a request to end.
    await this.#end('SIGKILL')
  }

  async #start(): Promise<void> {
    const port = await freePort()
    const child = spawn(this.#program, [...this.#words, '--port', `${port}`], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env.PATH },
    })
    const run: Run = { child, port, exited: once(child, 'exit'), log: '' }
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      run.log = (run.log + text).slice(-LOG_CHARACTERS_MAX)
    })
    this.#run = run
    await this.#untilReady(run)
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    this.#run?.child.kill(signal)
    await this.#run?.exited
  }

  async #untilReady(run: Run): Promise<void> {
    const endMs = performance.now() + READY_MS_MAX
    while (!(await this.#isReady())) {
      if (run.child.exitCode !== null || performance.now() > endMs) {
        run.child.kill('SIGKILL')
        throw new Error(`llama-server did not come up: ${run.log}`)
      }
      await delay(POLL_MS)
    }
  }

  async #isReady(): Promise<boolean> {
    try {
      return (await fetch(`${this.baseUrl}/health`)).ok
    } catch {
      return false
    }
  }
}
