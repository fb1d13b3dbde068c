/**
 * The double in a thread of its own: what it keeps is no memory of the process under test, and it
 * has its own turn when that one is busy.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { StoreUnderTest, Switches } from './store-under-test.ts'

export type DoubleCommand = keyof Switches | 'openCalls' | 'close'

export interface DoubleQuestion {
  readonly number: number
  readonly command: DoubleCommand
}

export interface DoubleAnswer {
  readonly number: number
  /** Of `openCalls`. */
  readonly openCalls: number
}

export class DoubleThread implements StoreUnderTest {
  readonly url: string
  readonly switches: Switches = {
    kill: async () => void (await this.#ask('kill')),
    restart: async () => void (await this.#ask('restart')),
    freeze: async () => void (await this.#ask('freeze')),
    thaw: async () => void (await this.#ask('thaw')),
  }
  readonly #thread: Worker
  readonly #waiting = new Map<number, (answer: DoubleAnswer) => void>()
  #asked = 0

  private constructor(thread: Worker, url: string) {
    this.#thread = thread
    this.url = url
    thread.on('message', (answer: DoubleAnswer) => {
      this.#waiting.get(answer.number)?.(answer)
      this.#waiting.delete(answer.number)
    })
  }

  /** @param seed of its delays, and of what a kill makes of the appends that it meets */
  static async start(seed: number): Promise<DoubleThread> {
    const program = new URL('./double-thread-program.ts', import.meta.url)
    const thread = new Worker(program, { workerData: { seed }, execArgv: [] })
    const [url] = (await once(thread, 'message')) as [string]
    return new DoubleThread(thread, url)
  }

  async openCalls(): Promise<number> {
    const { openCalls } = await this.#ask('openCalls')
    return openCalls
  }

  async stop(): Promise<void> {
    await this.#ask('close')
    await this.#thread.terminate()
  }

  #ask(command: DoubleCommand): Promise<DoubleAnswer> {
    this.#asked += 1
    const { promise, resolve } = Promise.withResolvers<DoubleAnswer>()
    this.#waiting.set(this.#asked, resolve)
    const question: DoubleQuestion = { number: this.#asked, command }
    this.#thread.postMessage(question)
    return promise
  }
}
