/**
 * Lets what needs the whole context have it between two batches.
 *
 * The runtime holds its lock on the context for as long as any evaluation waits in its queue. With
 * two or more answers under way one always does, and whatever needs the lock (cutting a sequence
 * back, saving or loading its state, giving it up) would wait until they end: many seconds. So
 * evaluations are held back here while somebody wants the context: the runtime's queue runs empty,
 * the lock is free, and a few milliseconds later everybody goes on.
 */
export class ContextGate {
  #wanted = 0
  #opened = Promise.withResolvers<void>()

  /** Resolves when an evaluation may begin. */
  async pass(): Promise<void> {
    while (this.#wanted > 0) await this.#opened.promise
  }

  /** Lets no evaluation begin until `use` has ended. */
  async alone<Result>(use: () => Promise<Result>): Promise<Result> {
    this.#wanted += 1
    try {
      return await use()
    } finally {
      this.#wanted -= 1
      if (this.#wanted === 0) {
        this.#opened.resolve()
        this.#opened = Promise.withResolvers<void>()
      }
    }
  }
}
