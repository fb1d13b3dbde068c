/**
 * Slows down whoever asks again and again although it is refused. A refusal is cheap, yet a client
 * that repeats it in a loop on hundreds of connections takes the time of everybody. So an account,
 * or an address without a key, gets a number of refusals at once in each second; each one beyond
 * them is sent after a pause, and its connection can ask nothing meanwhile. Answers never wait.
 */
import type { Clock, Timer } from '@svc/contracts/ports/time'
import type { FastifyRequest } from 'fastify'
import type { HttpLimits } from './limits.ts'
import { networkOf } from './network.ts'

const WINDOW_MS = 1_000
/** Beyond these all sources count as one: forged addresses must not fill the memory. */
const SOURCES_MAX = 10_000
const ALL_OTHERS = 'all others'

export interface RefusalPausesOptions {
  readonly limits: Pick<HttpLimits, 'refusalsPerSecond' | 'refusalPauseMs'>
  readonly clock: Clock
  readonly timer: Timer
}

export class RefusalPauses {
  readonly #options: RefusalPausesOptions
  readonly #refusals = new Map<string, number>()
  #windowEndsMs = 0

  constructor(options: RefusalPausesOptions) {
    this.#options = options
  }

  /** Counts a refusal of this request. @returns when it may be sent; undefined for at once */
  pauseBefore(request: FastifyRequest): Promise<void> | undefined {
    const { limits, timer } = this.#options
    if (limits.refusalPauseMs === 0) return undefined
    if (this.#count(request.caller?.accountId ?? networkOf(request.ip)) <= limits.refusalsPerSecond)
      return undefined
    return new Promise((resolve) => {
      const cancel = timer.after(limits.refusalPauseMs, resolve)
      request.raw.socket.once('close', () => {
        cancel()
        resolve()
      })
    })
  }

  #count(source: string): number {
    const nowMs = this.#options.clock.nowMs()
    if (nowMs >= this.#windowEndsMs || nowMs < this.#windowEndsMs - WINDOW_MS) {
      this.#refusals.clear()
      this.#windowEndsMs = nowMs + WINDOW_MS
    }
    const isKnown = this.#refusals.has(source) || this.#refusals.size < SOURCES_MAX
    const name = isKnown ? source : ALL_OTHERS
    const count = (this.#refusals.get(name) ?? 0) + 1
    this.#refusals.set(name, count)
    return count
  }
}
