/**
 * Timers of a process that can be stopped and continued: what falls due in between happens right
 * after, in order, and what is pending when the process is killed never happens.
 */
export class PausableTimers {
  readonly #pending = new Set<NodeJS.Timeout>()
  #due: (() => void)[] = []
  #isPaused = false

  /** @returns what takes the timer back */
  after(milliseconds: number, action: () => void): () => void {
    const timer = setTimeout(() => {
      this.#pending.delete(timer)
      this.run(action)
    }, milliseconds)
    this.#pending.add(timer)
    return () => {
      clearTimeout(timer)
      this.#pending.delete(timer)
    }
  }

  /** Does something now, or as soon as the process goes on. */
  run(action: () => void): void {
    if (this.#isPaused) this.#due.push(action)
    else action()
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    const due = this.#due
    this.#due = []
    for (const action of due) action()
  }

  /** The process is gone, and with it all it was going to do. */
  clear(): void {
    for (const timer of this.#pending) clearTimeout(timer)
    this.#pending.clear()
    this.#due = []
    this.#isPaused = false
  }
}
