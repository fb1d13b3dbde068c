/**
 * The pace of a thread that builds views.
 *
 *     nobody is served ─▶ one step after the other
 *     somebody is      ─▶ after each step the thread sleeps for three times its processor time
 *
 * So a build takes no more than a quarter of a core from customers in each of its threads, as all
 * long work takes no more than a quarter of the event loop. Steps are as long as ever: who is
 * served waits for none of them.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Pace } from '@svc/contracts/ports/pace'

const REST_PER_WORK = 3
/** A step that was long for once is not rested for without bound. */
const REST_MS_MAX = 100
const MICROSECONDS_PER_MS = 1_000
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
    const before = process.threadCpuUsage()
    try {
      return await work()
    } finally {
      const { user, system } = process.threadCpuUsage(before)
      this.#rest((user + system) / MICROSECONDS_PER_MS)
    }
  }

  #rest(workedMs: number): void {
    if (Atomics.load(this.#signals, SERVED) === 0) return
    Atomics.wait(this.#signals, NEVER, 0, Math.min(workedMs * REST_PER_WORK, REST_MS_MAX))
  }
}
