/**
 * Where requests wait for a running one to end. Only a bounded number waits, each for a bounded
 * time that runs from its first entry, and they come out in the order in which they went in.
 *
 * The writer lets them out when it frees credit. It does not learn of credit that another process
 * frees, so where there can be other processes the room also lets them out now and then to look.
 */

import type { Timer } from '@svc/contracts/ports/time'
import type { Job } from './job.ts'
import type { LedgerLimits } from './ledger-limits.ts'

export interface WaitingRoomOptions {
  readonly timer: Timer
  readonly limits: Pick<LedgerLimits, 'waitMs' | 'waitersPerAccount' | 'lookAgainMs'>
  /** The room calls this with a job whose wait has timed out: the writer decides it once more. */
  readonly onOver: (job: Job) => void
  /**
   * The room calls this with all waiting jobs, in order: the writer decides them on the newest
   * state.
   */
  readonly onLook: (jobs: readonly Job[]) => void
}

export class WaitingRoom {
  readonly #options: WaitingRoomOptions
  readonly #waiting = new Set<Job>()
  /** The jobs that ever waited and have no outcome yet: their time runs. */
  readonly #timed = new Set<Job>()
  /** Set while a look is planned. */
  #cancelLook: (() => void) | undefined
  #isClosed = false

  constructor(options: WaitingRoomOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#waiting.size
  }

  /** @returns false when the job may not wait (any longer) */
  enter(job: Job): boolean {
    if (this.#isClosed || job.waitIsOver || job.wentAhead) return false
    if (this.#waiting.size >= this.#options.limits.waitersPerAccount) return false
    this.#waiting.add(job)
    if (!this.#timed.has(job)) this.#startTimeout(job)
    this.#planLook()
    return true
  }

  /** Lets everybody out who still wants an answer. */
  leaveAll(): Job[] {
    const jobs = [...this.#waiting].filter(({ isSettled }) => !isSettled)
    this.#waiting.clear()
    return jobs
  }

  /** Lets everybody out, and nobody in any more. */
  close(): Job[] {
    this.#isClosed = true
    this.#cancelLook?.()
    return this.leaveAll()
  }

  #planLook(): void {
    const { timer, limits, onLook } = this.#options
    const { lookAgainMs } = limits
    if (this.#cancelLook !== undefined || !Number.isFinite(lookAgainMs)) return
    this.#cancelLook = timer.after(lookAgainMs, () => {
      this.#cancelLook = undefined
      const jobs = this.leaveAll()
      if (jobs.length > 0) onLook(jobs)
    })
  }

  #startTimeout(job: Job): void {
    const { timer, limits } = this.#options
    const cancel = timer.after(limits.waitMs, () => this.#timeIsOver(job))
    this.#timed.add(job)
    const stop = (): void => {
      cancel()
      this.#timed.delete(job)
      this.#waiting.delete(job)
    }
    job.promise.then(stop, stop)
  }

  #timeIsOver(job: Job): void {
    job.waitIsOver = true
    if (this.#waiting.delete(job)) this.#options.onOver(job)
  }
}
