/** Clients behind a balancer that keep asking while processes are restarted. */
import { setTimeout as delay } from 'node:timers/promises'
import type { RoleProcess } from './role-process.ts'

/** As often as balancers look whether a gateway is ready. */
const LOOK_EVERY_MS = 50
/** As balancers do: a gateway that does not say in time that it is ready gets no requests. */
const LOOK_WITHIN_MS = 1_000
/** Of clients that wait for each answer. */
const CLIENTS = 6
const SECOND_MS = 1_000
/** In which requests of a rate are sent, some at once. */
const BEAT_MS = 20
const OK = 200
/** Answers later than these share: the usual, the slow, and the one that waited longest. */
const QUANTILES = [0.5, 0.99, 1]

export type Ask = (gateway: RoleProcess) => Promise<Response>

/** What a balancer does: it looks which gateways are ready, and sends requests to those in turn. */
class Balancer {
  readonly #gateways: readonly RoleProcess[]
  readonly #ready = new Set<RoleProcess>()
  readonly #closing = new AbortController()
  #turn = 0

  constructor(all: readonly RoleProcess[]) {
    this.#gateways = all
    for (const each of all) {
      this.#ready.add(each)
      void this.#watch(each)
    }
  }

  isInTurn(gateway: RoleProcess): boolean {
    return this.#ready.has(gateway)
  }

  next(): RoleProcess {
    const ready = this.#gateways.filter((each) => this.#ready.has(each))
    this.#turn += 1
    const chosen = ready[this.#turn % ready.length]
    if (chosen === undefined) throw new Error('no gateway is ready')
    return chosen
  }

  close(): void {
    this.#closing.abort()
  }

  async #watch(each: RoleProcess): Promise<void> {
    while (!this.#closing.signal.aborted) {
      if (await each.isReady(LOOK_WITHIN_MS)) this.#ready.add(each)
      else this.#ready.delete(each)
      await delay(LOOK_EVERY_MS)
    }
  }
}

export interface RollingLoadOptions {
  readonly gateways: readonly RoleProcess[]
  /** Asked in turn. */
  readonly asks: readonly Ask[]
  /** Requests in a second, whatever they take; 0 for clients that wait for each answer. */
  readonly rate: number
}

export class RollingLoad {
  answered = 0
  /** What was no answer, or another than was asked for. */
  readonly failures: string[] = []
  readonly #startMs = performance.now()
  readonly #tookMs: number[] = []
  #open = 0
  #openMax = 0
  readonly #balancer: Balancer
  readonly #asks: readonly Ask[]
  readonly #ending = new AbortController()
  readonly #running: Promise<unknown>
  #turn = 0

  constructor({ gateways, asks, rate }: RollingLoadOptions) {
    this.#balancer = new Balancer(gateways)
    this.#asks = asks
    this.#running =
      rate === 0
        ? Promise.all(Array.from({ length: CLIENTS }, () => this.#askOnAndOn()))
        : this.#askAt(rate)
    // Heard at the end, also by a test that fails before.
    this.#running.catch(() => {})
  }

  /** Whether the balancer has seen that it is ready: not before is another one restarted. */
  isInTurn(gateway: RoleProcess): boolean {
    return this.#balancer.isInTurn(gateway)
  }

  /** What was asked and how it was answered: a queue that grows says that the rate is too high. */
  get summary(): string {
    const seconds = (performance.now() - this.#startMs) / SECOND_MS
    const inOrder = this.#tookMs.toSorted((one, other) => one - other)
    const [median, slow, longest] = QUANTILES.map((share) =>
      (inOrder[Math.ceil(share * inOrder.length) - 1] ?? 0).toFixed(),
    )
    return (
      `${this.answered} answered, ${this.failures.length} failed in ${seconds.toFixed()} s ` +
      `(${(this.#turn / seconds).toFixed(1)}/s), p50 ${median} ms, p99 ${slow} ms, ` +
      `longest ${longest} ms, up to ${this.#openMax} at once`
    )
  }

  /** Resolves when every request has its answer. */
  async end(): Promise<void> {
    this.#ending.abort()
    await this.#running
    this.#balancer.close()
  }

  async #askOnAndOn(): Promise<void> {
    while (!this.#ending.signal.aborted) {
      await this.#askOne()
      await delay(LOOK_EVERY_MS)
    }
  }

  async #askAt(rate: number): Promise<void> {
    const asked: Promise<void>[] = []
    const startMs = performance.now()
    while (!this.#ending.signal.aborted) {
      const due = ((performance.now() - startMs) * rate) / SECOND_MS
      while (asked.length < due) asked.push(this.#askOne())
      await delay(BEAT_MS)
    }
    await Promise.all(asked)
  }

  async #askOne(): Promise<void> {
    this.#turn += 1
    const ask = this.#asks[this.#turn % this.#asks.length]
    this.#open += 1
    this.#openMax = Math.max(this.#openMax, this.#open)
    const askedMs = performance.now()
    try {
      const answer = await ask?.(this.#balancer.next())
      const text = await answer?.text()
      if (answer?.status === OK) this.answered += 1
      else this.failures.push(`${answer?.status} of ${answer?.url}: ${text}`)
    } catch (error) {
      this.failures.push(String(error))
    } finally {
      this.#open -= 1
      this.#tookMs.push(performance.now() - askedMs)
    }
  }
}
