/**
 * Where requests wait for a running one to end. Only a bounded number waits, each for a bounded
 * time that runs from its first entry, and they come out in the order in which they went in.
 */

import type { Timer } from '@svc/contracts/ports/time'
import type { Job } from './job.ts'

export interface WaitingRoomOptions {
  readonly timer: Timer
  readonly waitMs: number
  readonly capacity: number
  /** Called with a job whose time is over while it waits: it is to be decided once more. */
  readonly onOver: (job: Job) => void
}

export class WaitingRoom {
  readonly #options: WaitingRoomOptions
  readonly #waiting = new Set<Job>()
  /** Of every job that ever waited and has not been told: how to stop its clock. */
  readonly #clocks = new Map<Job, () => void>()
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
    if (this.#waiting.size >= this.#options.capacity) return false
    this.#waiting.add(job)
    if (!this.#clocks.has(job)) this.#startClock(job)
    return true
  }

  /** Lets everybody out who still wants an answer. */
  leaveAll(): Job[] {
    const jobs = [...this.#waiting].filter(({ isTold }) => !isTold)
    this.#waiting.clear()
    return jobs
  }

  /** Lets everybody out, and nobody in any more. */
  close(): Job[] {
    this.#isClosed = true
    return this.leaveAll()
  }

  #startClock(job: Job): void {
    const cancel = this.#options.timer.after(this.#options.waitMs, () => this.#timeIsOver(job))
    this.#clocks.set(job, cancel)
    const stop = (): void => {
      cancel()
      this.#clocks.delete(job)
      this.#waiting.delete(job)
    }
    job.promise.then(stop, stop)
  }

  #timeIsOver(job: Job): void {
    job.waitIsOver = true
    if (this.#waiting.delete(job)) this.#options.onOver(job)
  }
}
