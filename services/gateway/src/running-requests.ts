/** The inference requests that run now: their number is bounded, and a shutdown waits for them. */
import { ServiceError } from '@svc/contracts/errors'
import type { Timer } from '@svc/ledger/ports'
import type { HttpLimits } from './http-limits.ts'
import { overloaded } from './routing/worker-failure.ts'
import { Stop } from './stop.ts'

const RETRY_AFTER_SECONDS = 1

type Bounds = Pick<HttpLimits, 'requestsPerKey' | 'requestsInFlight'>

export interface RunningRequest {
  readonly stop: Stop
  leave(): void
}

export class RunningRequests {
  readonly #bounds: Bounds
  readonly #timer: Timer
  readonly #perKey = new Map<string, number>()
  readonly #stops = new Set<Stop>()
  #onIdle: (() => void) | undefined

  constructor(bounds: Bounds, timer: Timer) {
    this.#bounds = bounds
    this.#timer = timer
  }

  get count(): number {
    return this.#stops.size
  }

  /** @throws {ServiceError} when too many run already; `leave` must be called otherwise */
  enter(keyId: string): RunningRequest {
    const ofKey = this.#perKey.get(keyId) ?? 0
    if (ofKey >= this.#bounds.requestsPerKey) {
      const message = `At most ${this.#bounds.requestsPerKey} requests of one key run at once.`
      throw new ServiceError('rate_limit_exceeded', message, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      })
    }
    if (this.#stops.size >= this.#bounds.requestsInFlight) {
      throw overloaded('The server runs as many requests as it can.')
    }
    const stop = new Stop()
    this.#perKey.set(keyId, ofKey + 1)
    this.#stops.add(stop)
    return { stop, leave: () => this.#leave(keyId, stop) }
  }

  stopAll(): void {
    for (const stop of [...this.#stops]) stop.stop('shutting_down')
  }

  /** Resolves when nothing runs, or to false when the time is over before that. */
  idle(timeoutMs: number): Promise<boolean> {
    if (this.#stops.size === 0) return Promise.resolve(true)
    return new Promise((resolve) => {
      const cancel = this.#timer.after(timeoutMs, () => {
        this.#onIdle = undefined
        resolve(false)
      })
      this.#onIdle = () => {
        cancel()
        resolve(true)
      }
    })
  }

  #leave(keyId: string, stop: Stop): void {
    if (!this.#stops.delete(stop)) return
    const rest = (this.#perKey.get(keyId) ?? 1) - 1
    if (rest === 0) this.#perKey.delete(keyId)
    else this.#perKey.set(keyId, rest)
    if (this.#stops.size === 0) this.#onIdle?.()
  }
}
