/** Asks a server over and over whether it lives, and keeps how long the answers took. */
import { setTimeout as delay } from 'node:timers/promises'
import { Pool } from 'undici'

const EVERY_MS = 20

export class LivenessProbe {
  readonly #pool: Pool
  readonly #running: Promise<void>
  #slowestMs = 0
  #stopped = false

  constructor(baseUrl: string) {
    this.#pool = new Pool(new URL(baseUrl).origin, { connections: 1 })
    this.#running = this.#run()
  }

  /** @returns the slowest answer */
  async stop(): Promise<number> {
    this.#stopped = true
    await this.#running
    await this.#pool.close()
    return this.#slowestMs
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const startMs = performance.now()
      const answer = await this.#pool.request({ method: 'GET', path: '/livez' })
      await answer.body.dump()
      if (answer.statusCode !== 200) throw new Error(`/livez answered ${answer.statusCode}`)
      this.#slowestMs = Math.max(this.#slowestMs, performance.now() - startMs)
      await delay(EVERY_MS)
    }
  }
}
