/**
 * A process that can die between any two of its steps, and stand still. A step is whatever comes in
 * from outside: an answer, a timer, or a named crash point that it passes. Dead, it is cut off:
 * what it still computes goes nowhere, and nothing comes in any more.
 */
import type { ReachCrashPoint } from '@svc/contracts/crash-points'
import type { Clock, Timer } from '@svc/contracts/ports/time'
import type { VirtualTime } from './virtual-time.ts'

export interface ProcessFate {
  /** Steps until it dies; infinite for one that lives on. */
  readonly steps: number
  /** By how much its clock is wrong. */
  readonly skewMs: number
}

export class SimulatedProcess {
  readonly clock: Clock
  readonly timer: Timer
  readonly reach: ReachCrashPoint
  readonly #time: VirtualTime
  readonly #onDeath: (() => void)[] = []
  #stepsLeft: number
  #frozenUntilMs = 0
  #isAlive = true

  constructor(time: VirtualTime, { steps, skewMs }: ProcessFate) {
    this.#time = time
    this.#stepsLeft = steps
    this.clock = { nowMs: () => time.nowMs() + skewMs }
    this.timer = { after: (delayMs, run) => this.#after(delayMs, run) }
    this.reach = () => void this.#step()
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  /** Called once, at its death. */
  onDeath(run: () => void): void {
    this.#onDeath.push(run)
  }

  die(): void {
    if (!this.#isAlive) return
    this.#isAlive = false
    for (const run of this.#onDeath.splice(0)) run()
  }

  /** It will not die by itself any more. */
  spare(): void {
    this.#stepsLeft = Number.POSITIVE_INFINITY
  }

  /** Nothing comes in for `forMs`, and then all at once. */
  freeze(forMs: number): void {
    this.#frozenUntilMs = this.#time.nowMs() + forMs
  }

  /** Sends a question out, unless it is dead, and hears the answer, unless it is dead by then. */
  ask<Answer>(send: () => Promise<Answer>): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    if (!this.#isAlive) return promise
    send().then(
      (answer) => this.#hear(() => resolve(answer)),
      (error: unknown) => this.#hear(() => reject(error)),
    )
    return promise
  }

  /** The same for what is answered at once. @param dead what a dead process is left with */
  tell<Answer>(send: () => Answer, dead: Answer): Answer {
    return this.#isAlive ? send() : dead
  }

  #hear(take: () => void): void {
    this.#whenAwake(() => {
      if (this.#step()) take()
    })
  }

  #after(delayMs: number, run: () => void): () => void {
    let isCancelled = false
    const cancel = this.#time.after(delayMs, () =>
      this.#hear(() => {
        if (!isCancelled) run()
      }),
    )
    return () => {
      isCancelled = true
      cancel()
    }
  }

  #whenAwake(run: () => void): void {
    const leftMs = this.#frozenUntilMs - this.#time.nowMs()
    if (leftMs > 0) this.#time.after(leftMs, run)
    else run()
  }

  /** @returns whether it lives to take it */
  #step(): boolean {
    if (!this.#isAlive) return false
    this.#stepsLeft -= 1
    if (this.#stepsLeft > 0) return true
    this.die()
    return false
  }
}
