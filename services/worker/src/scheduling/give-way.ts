/** Asks one run to give way, also while it waits for its client to read. */
export class GiveWay {
  #isAsked = false
  #stopWaiting: () => void = () => {}

  get isAsked(): boolean {
    return this.#isAsked
  }

  ask(): void {
    this.#isAsked = true
    this.#stopWaiting()
  }

  /** The run gave way, or need not any more. */
  reset(): void {
    this.#isAsked = false
  }

  /** Resolves with the promise, or as soon as the run is asked. Leaves nothing behind on it. */
  async before(read: Promise<void>): Promise<void> {
    if (this.#isAsked) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#stopWaiting = resolve
    void read.then(resolve)
    await promise
  }
}
