/**
 * Paces long work by whether customers are being served.
 *
 *     nobody is served ─▶ one step in every turn of the loop
 *     somebody is      ─▶ after each step a rest of three times its duration
 *
 * The trade: while requests are answered, long work gets a quarter of the loop and takes four times
 * as long; in exchange a request waits for one short step now and then, and never for all of it.
 * A thread of its own could not read the event log, whose file belongs to one connection (see
 * `sqlite/database-file.ts`); what is done with the pages can be moved to one, as with views.
 */
import { performance } from 'node:perf_hooks'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import type { Pace } from '@svc/contracts/ports/pace'

const REST_PER_WORK = 3
/** A step that was long for once, such as one on a slow disk, is not rested for without bound. */
const REST_MS_MAX = 100
/** For how long the loop counts as used after the last step: whoever was served may ask again. */
const LINGER_MS = 250

/** The time that a pace goes by; tests have their own. */
export interface PaceTime {
  /** A clock that is never put back, as a clock on the wall is. */
  nowMs(): number
  rest(milliseconds: number): Promise<void>
}

const realTime: PaceTime = {
  nowMs: () => performance.now(),
  rest: (milliseconds) => delay(milliseconds),
}

/** The one pace of the whole process: see {@link Pace}. */
export class SharedPace implements Pace {
  readonly #time: PaceTime
  #previous: Promise<void> = Promise.resolve()
  #workedMs = 0
  #restedFromMs = 0
  #served = 0
  #lastServedMs = Number.NEGATIVE_INFINITY

  constructor(time: PaceTime = realTime) {
    this.#time = time
  }

  /** Somebody is being served from now on. @returns to be called once, when that is over */
  enter(): () => void {
    this.#served += 1
    return () => {
      this.#served -= 1
      this.#lastServedMs = this.#time.nowMs()
    }
  }

  step<Result>(work: () => Result | PromiseLike<Result>): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    this.#previous = this.#previous.then(async () => {
      await nextTurn()
      if (this.isShared) await this.#rest()
      const startMs = this.#time.nowMs()
      try {
        // The work is not awaited here: what the step waits for takes no time of the loop.
        resolve(work())
      } catch (error) {
        reject(error)
      }
      this.#restedFromMs = this.#time.nowMs()
      this.#workedMs = this.#restedFromMs - startMs
    })
    return promise
  }

  get isShared(): boolean {
    return this.#served > 0 || this.#time.nowMs() - this.#lastServedMs < LINGER_MS
  }

  async #rest(): Promise<void> {
    const restMs = Math.min(this.#workedMs * REST_PER_WORK, REST_MS_MAX)
    const leftMs = restMs - (this.#time.nowMs() - this.#restedFromMs)
    if (leftMs > 0) await this.#time.rest(leftMs)
  }
}
