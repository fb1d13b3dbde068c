/**
 * Lets a bounded number of reads through to the server. It takes a hundred calls on a connection
 * and lets the others wait without a word, until their timers run out.
 */
import { StoreAwayError, StoreBusyError } from '@svc/contracts/ports/event-store'
import { systemTimer } from '../../../system/system-timer.ts'

const READS_AT_WORK_MAX = 32
const WAITING_READS_MAX = 4_096

export class ReadGate {
  readonly #waitMs: number
  readonly #waiting = new Set<() => void>()
  #atWork = 0

  constructor(waitMs: number) {
    this.#waitMs = waitMs
  }

  /** @throws {StoreAwayError} when it has waited too long, or too many wait already */
  async run<Result>(read: () => Promise<Result>): Promise<Result> {
    if (this.#atWork >= READS_AT_WORK_MAX) await this.#wait()
    else this.#atWork += 1
    try {
      return await read()
    } finally {
      this.#handOn()
    }
  }

  /** Resolves with the place of a read that has ended. */
  async #wait(): Promise<void> {
    if (this.#waiting.size >= WAITING_READS_MAX) throw new StoreBusyError()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#waiting.add(resolve)
    const cancelTimer = systemTimer.after(this.#waitMs, () => {
      this.#waiting.delete(resolve)
      reject(new StoreAwayError('the event store is too slow: a read waited too long'))
    })
    await promise.finally(cancelTimer)
  }

  #handOn(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#atWork -= 1
    } else {
      this.#waiting.delete(next)
      next()
    }
  }
}
