/**
 * When views at the end of the log write what they have folded.
 *
 *     folded ── somebody waits to read it ──▶ committed at once, in the views that are waited for
 *        └───── LIVE_COMMIT_MS are over ────▶ committed in all views
 *
 * A commit costs nearly the same for one event as for a hundred, and there is one for each view; a
 * request that begins and ends between two of them leaves no row of its running behind. The trade:
 * whoever reads without waiting sees rows that are a tenth of a second old, and a crash has as much
 * more to fold again.
 */
import type { Timer } from '@svc/contracts/ports/time'

const LIVE_COMMIT_MS = 100

export class LiveCommits {
  readonly #timer: Timer
  #cancel: (() => void) | undefined
  #isDue = false
  #call = Promise.withResolvers<void>()

  constructor(timer: Timer) {
    this.#timer = timer
  }

  /** Whether what was folded has waited long enough. */
  get isDue(): boolean {
    return this.#isDue
  }

  /** Resolves at the next call, of whoever waits to read or of the time that is over. */
  get called(): Promise<void> {
    return this.#call.promise
  }

  call(): void {
    this.#call.resolve()
    this.#call = Promise.withResolvers()
  }

  /** Starts the time of what was folded, unless the time of something before it runs already. */
  plan(): void {
    this.#cancel ??= this.#timer.after(LIVE_COMMIT_MS, () => {
      this.#isDue = true
      this.call()
    })
  }

  /** Forgets the time, when all was committed or is to be read again. */
  clear(): void {
    this.#cancel?.()
    this.#cancel = undefined
    this.#isDue = false
  }
}
