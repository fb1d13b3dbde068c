/** A clock and a timer that a test turns by hand. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock, Timer } from '@svc/contracts/ports/time'

export const START_MS = 1_800_000_000_000
/** Turns of the event loop after which nothing more happens without time passing. */
const QUIET_TURNS = 8

interface Planned {
  readonly at: number
  readonly run: () => void
}

export class ManualTime implements Clock, Timer {
  #now: number
  readonly #planned = new Set<Planned>()

  constructor(startMs = START_MS) {
    this.#now = startMs
  }

  nowMs(): number {
    return this.#now
  }

  /** How many timers wait for their time. */
  get plannedCount(): number {
    return this.#planned.size
  }

  after(delayMs: number, run: () => void): () => void {
    const planned = { at: this.#now + delayMs, run }
    this.#planned.add(planned)
    return () => this.#planned.delete(planned)
  }

  /** Lets time pass: what is planned for it happens in order, and all that follows from it. */
  async advance(byMs: number): Promise<void> {
    const end = this.#now + byMs
    await this.quiet()
    for (let next = this.#next(); next !== undefined && next.at <= end; next = this.#next()) {
      await this.#runPlanned(next)
    }
    this.#now = end
    await this.quiet()
  }

  /** Lets as much time pass as a promise needs. */
  async until<Result>(promise: Promise<Result>): Promise<Result> {
    let isSettled = false
    const settled = promise.then(
      () => (isSettled = true),
      () => (isSettled = true),
    )
    while (!isSettled) {
      await this.quiet()
      const next = this.#next()
      if (isSettled) break
      if (next === undefined) await settled
      else await this.#runPlanned(next)
    }
    return promise
  }

  /** Lets everything happen that needs no time to pass. */
  async quiet(): Promise<void> {
    for (let turn = 0; turn < QUIET_TURNS; turn += 1) await nextTurn()
  }

  async #runPlanned(planned: Planned): Promise<void> {
    this.#planned.delete(planned)
    this.#now = Math.max(this.#now, planned.at)
    planned.run()
    await this.quiet()
  }

  #next(): Planned | undefined {
    let first: Planned | undefined
    for (const planned of this.#planned) {
      if (first === undefined || planned.at < first.at) first = planned
    }
    return first
  }
}
