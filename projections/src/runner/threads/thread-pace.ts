/**
 * The pace of a thread that builds views.
 *
 *     nobody is served ─▶ one step after the other
 *     somebody is      ─▶ after each step the thread sleeps for three times its duration
 *
 * So a build takes no more than a quarter of a core from customers in each of its threads, as all
 * long work takes no more than a quarter of the event loop, and less where cores are scarce: a step
 * that had to wait for one lasts longer. Steps are as long as ever: who is served waits for none of
 * them.
 */
import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Pace } from '@svc/contracts/ports/pace'

const REST_PER_WORK = 3
/** A step that was long for once is not rested for without bound. */
const REST_MS_MAX = 100
/** Places in what the threads share: whether customers are served, and one that never changes. */
const SERVED = 0
const NEVER = 1

export type ThreadSignals = Int32Array<SharedArrayBuffer>

export function newThreadSignals(): ThreadSignals {
  return new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
}

/** Tells the threads whether customers are served at the moment. */
export function tellServed(signals: ThreadSignals, { isShared = false }: Pace): void {
  Atomics.store(signals, SERVED, isShared ? 1 : 0)
}

export class ThreadPace implements Pace {
  readonly #signals: ThreadSignals

  constructor(signals: ThreadSignals) {
    this.#signals = signals
  }

  async step<Result>(work: () => Result | PromiseLike<Result>): Promise<Result> {
    // Lets messages in.
    await nextTurn()
    const startMs = performance.now()
    // The work is not awaited yet: what the step waits for takes nothing from anybody.
    const working = work()
    this.#rest(performance.now() - startMs)
    return await working
  }

  #rest(workedMs: number): void {
    if (Atomics.load(this.#signals, SERVED) === 0) return
    Atomics.wait(this.#signals, NEVER, 0, Math.min(workedMs * REST_PER_WORK, REST_MS_MAX))
  }
}
