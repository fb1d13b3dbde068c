/** The load process: takes a {@link LoadPlan} as its argument and prints a {@link LoadResult}. */
import { setTimeout as delay } from 'node:timers/promises'
import { Pool } from 'undici'
import { type Call, callOf } from './calls.ts'
import type { LoadPlan, LoadResult } from './load-plan.ts'

class Load {
  readonly #plan: LoadPlan
  readonly #call: Call
  readonly #pool: Pool
  readonly #latenciesMs: number[] = []
  #started = 0
  #failures = 0
  #failure: string | null = null
  #cost = 0n

  constructor(plan: LoadPlan) {
    const { target } = plan
    const options = { connections: plan.connections, pipelining: 1 }
    this.#plan = plan
    this.#call = callOf(target)
    this.#pool =
      target.kind === 'gateway'
        ? new Pool(new URL(target.baseUrl).origin, options)
        : new Pool('http://worker', { ...options, socketPath: target.socketPath })
  }

  async run(): Promise<LoadResult> {
    const startMs = performance.now()
    const endMs = startMs + this.#plan.seconds * 1000
    await (this.#plan.requestsPerSecond === undefined ? this.#flood(endMs) : this.#pace(endMs))
    const seconds = (performance.now() - startMs) / 1000
    await this.#pool.close()
    const sorted = this.#latenciesMs.toSorted((one, other) => one - other)
    return {
      requests: sorted.length,
      failures: this.#failures,
      failure: this.#failure,
      cost: this.#cost.toString(),
      seconds,
      requestsPerSecond: sorted.length / seconds,
      p50Ms: quantile(sorted, 0.5),
      p99Ms: quantile(sorted, 0.99),
    }
  }

  /** Every connection sends its next request when it has its answer. */
  async #flood(endMs: number): Promise<void> {
    const connection = async () => {
      while (performance.now() < endMs && this.#mayStart()) await this.#one()
    }
    await Promise.all(Array.from({ length: this.#plan.connections }, connection))
  }

  /** Sends on time whether or not answers come: a slow answer does not slow the next request. */
  async #pace(endMs: number): Promise<void> {
    const intervalMs = 1000 / (this.#plan.requestsPerSecond ?? 1)
    const running: Promise<void>[] = []
    for (let dueMs = performance.now(); dueMs < endMs && this.#mayStart(); dueMs += intervalMs) {
      const waitMs = dueMs - performance.now()
      if (waitMs > 0) await delay(waitMs)
      running.push(this.#one())
    }
    await Promise.all(running)
  }

  #mayStart(): boolean {
    return this.#started < (this.#plan.requests ?? Number.POSITIVE_INFINITY)
  }

  async #one(): Promise<void> {
    const number = this.#started
    this.#started += 1
    const startMs = performance.now()
    try {
      const cost = await this.#call(this.#pool, number)
      this.#cost += cost
      this.#latenciesMs.push(performance.now() - startMs)
    } catch (error) {
      this.#failures += 1
      this.#failure ??= String(error)
    }
  }
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

const plan = JSON.parse(process.argv[2] ?? '') as LoadPlan
process.stdout.write(`${JSON.stringify(await new Load(plan).run())}\n`)
