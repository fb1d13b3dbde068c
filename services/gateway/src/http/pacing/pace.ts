/**
 * Spreads over time what one account asks of the one thread that serves all. What it asks for in a
 * second is free at once; beyond that each one waits until its time has come, in the order in which
 * they came. So a flood costs its sender time, and nobody else's.
 */
import { type Clock, pause, type Timer } from '@svc/contracts/ports/time'

/** What an account did not ask for is saved up for this long, unless the options say otherwise. */
const BURST_MS = 1_000
/** However long the line is. A clock that was put back must not hold anybody up for long either. */
const WAIT_MS_MAX = 60_000
/** Accounts that are remembered before those are forgotten that owe nothing. */
const ACCOUNTS_MAX = 10_000
const MS_PER_SECOND = 1_000

export interface PaceOptions {
  /** Units of one account in a second; 0 sets no limit. */
  readonly perSecond: number
  /** Whoever has to wait at all waits at least this long. */
  readonly leastWaitMs?: number
  /** What was not asked for in this time before may be asked for at once. */
  readonly burstMs?: number
  /** Nobody waits longer: from half of it on, the longer the line is the faster it moves. */
  readonly waitMsMax?: number
  readonly clock: Clock
  readonly timer: Timer
}

export class Pace {
  readonly #options: PaceOptions
  /** When what an account has taken is used up, in milliseconds since 1970. */
  readonly #untilMs = new Map<string, number>()

  constructor(options: PaceOptions) {
    this.#options = options
  }

  /** Resolves when the account may have `units` more, or the signal is aborted. */
  async take(accountId: string, units: number, gone: AbortSignal): Promise<void> {
    const { perSecond, leastWaitMs = 0, burstMs = BURST_MS, clock, timer } = this.#options
    if (perSecond === 0) return
    const nowMs = clock.nowMs()
    const untilMs = this.#untilWith(accountId, units, nowMs)
    this.#forget(nowMs)
    this.#untilMs.set(accountId, untilMs)
    const waitMs = untilMs - nowMs - burstMs
    if (waitMs > 0) await pause(timer, Math.max(waitMs, leastWaitMs), gone)
  }

  #untilWith(accountId: string, units: number, nowMs: number): number {
    const { perSecond, burstMs = BURST_MS, waitMsMax = WAIT_MS_MAX } = this.#options
    const latestMs = nowMs + burstMs + waitMsMax
    const fromMs = Math.min(latestMs, Math.max(nowMs, this.#untilMs.get(accountId) ?? nowMs))
    // The longer the line is the less time a unit takes: at the longest wait all others would come
    // at the same moment.
    const haste = Math.min(1, (2 * (latestMs - fromMs)) / (burstMs + waitMsMax))
    return Math.min(latestMs, fromMs + (units / perSecond) * MS_PER_SECOND * haste)
  }

  #forget(nowMs: number): void {
    if (this.#untilMs.size < ACCOUNTS_MAX) return
    for (const [accountId, untilMs] of this.#untilMs) {
      if (untilMs <= nowMs) this.#untilMs.delete(accountId)
    }
  }
}
