/** llama.cpp's own server, which bills nobody and keeps no tenants apart. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '@svc/testing/free-port'
import type { ModelUnderTest } from '../model-under-test.ts'
import type { ServerSize, WholeServer } from './whole-server.ts'

const READY_MS_MAX = 120_000
const POLL_MS = 100
/** Of what it says, kept for the case that it fails. */
const LOG_CHARACTERS_MAX = 20_000

/** As it is delivered, but for the sizes, which are those of the other server. */
export class LlamaServer implements WholeServer {
  readonly name = 'llama_server'
  readonly baseUrl: string
  readonly #child: ChildProcess
  readonly #exited: Promise<unknown>
  #log = ''

  private constructor(child: ChildProcess, port: number) {
    this.baseUrl = `http://127.0.0.1:${port}`
    this.#child = child
    this.#exited = once(child, 'exit')
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#log = (this.#log + text).slice(-LOG_CHARACTERS_MAX)
    })
  }

  /**
   * @param program the binary
   * @throws Error with the server's words when it does not come up
   */
  static async start(
    program: string,
    model: ModelUnderTest,
    { contextTokens, sequences, threads }: ServerSize,
  ): Promise<LlamaServer> {
    const port = await freePort()
    const words = [
      ...['--model', model.path, '--host', '127.0.0.1', '--port', `${port}`],
      // Its context is the sum of those of its sequences.
      ...['--parallel', `${sequences}`, '--ctx-size', `${contextTokens * sequences}`],
      ...['--threads', `${threads}`, '--threads-batch', `${threads}`, '--gpu-layers', '0'],
      ...['--flash-attn', 'on', '--no-webui'],
    ]
    const child = spawn(program, words, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env.PATH },
    })
    const server = new LlamaServer(child, port)
    await server.#untilReady()
    return server
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  keyOf(): string {
    return 'none is asked for'
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGTERM')
    await this.#exited
  }

  async #untilReady(): Promise<void> {
    const endMs = performance.now() + READY_MS_MAX
    while (!(await this.#isReady())) {
      if (this.#child.exitCode !== null || performance.now() > endMs) {
        this.#child.kill('SIGKILL')
        throw new Error(`llama-server did not come up: ${this.#log}`)
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
