/** Asking one run to stop between two of its steps. */

/** Why a run has to stop before its next step: for good, or to go on at its next turn. */
export type StopReason = 'interrupted' | 'gives way'

/** Asks one run to stop, also while it waits for its turn or for its client to read. */
export class StopRequest {
  readonly signal: AbortSignal
  readonly #waits = new Set<() => void>()
  #givesWay = false

  /** @param signal aborted when the run is interrupted */
  constructor(signal: AbortSignal) {
    this.signal = signal
    signal.addEventListener('abort', () => this.#endWaits(), { once: true })
  }

  /** Null while the run may go on. */
  get reason(): StopReason | null {
    if (this.signal.aborted) return 'interrupted'
    return this.#givesWay ? 'gives way' : null
  }

  askToGiveWay(): void {
    this.#givesWay = true
    this.#endWaits()
  }

  /** The run gave way, or need not any more. */
  reset(): void {
    this.#givesWay = false
  }

  /** The run waits: `end` is called when it is asked to stop before `stopWaiting`. */
  wait(end: () => void): void {
    this.#waits.add(end)
  }

  stopWaiting(end: () => void): void {
    this.#waits.delete(end)
  }

  /** Resolves with the promise, or as soon as the run is asked to give way. */
  async before(read: Promise<void>): Promise<void> {
    if (this.#givesWay) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.wait(resolve)
    void read.then(resolve)
    await promise
    this.stopWaiting(resolve)
  }

  #endWaits(): void {
    for (const end of this.#waits) end()
  }
}
