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
import { within } from '@svc/contracts/ports/within'
import type { LiveView } from './live-view.ts'
import type { ViewWaiters } from './view-waiters.ts'

const LIVE_COMMIT_MS = 100
/**
 * How many events at the end of the log make a commit that is not put off: it takes a millisecond
 * or two.
 */
const LIVE_COMMIT_EVENTS = 500
/**
 * How long a batch at the end of the log waits for more events, unless a reader waits for it: so
 * requests in progress are not held up by views that nobody looks at.
 */
const LIVE_LINGER_MS = 10

export class LiveCommits {
  readonly #timer: Timer
  readonly #waiters: ViewWaiters
  #cancel: (() => void) | undefined
  /** Whether what was folded has waited long enough. */
  #isTimeUp = false
  #request = Promise.withResolvers<void>()
  #endLinger: () => void = () => {}

  constructor(timer: Timer, waiters: ViewWaiters) {
    this.#timer = timer
    this.#waiters = waiters
  }

  /** Resolves when a commit is requested: somebody waits to read, or the time is over. */
  get requested(): Promise<void> {
    return this.#request.promise
  }

  /** Somebody waits to read: nothing is put off. */
  hurry(): void {
    this.#endLinger()
    this.#requestCommit()
  }

  /** Waits for more events, unless somebody waits to read. */
  async linger(signal: AbortSignal): Promise<void> {
    if (!this.#waiters.isEmpty) return
    const { promise: wanted, resolve } = Promise.withResolvers<void>()
    this.#endLinger = resolve
    await within(this.#timer, LIVE_LINGER_MS, wanted, undefined, signal)
  }

  /** Whether a view at the end of the log is to commit now. */
  isDue(view: LiveView): boolean {
    const { uncommittedEvents } = view.file
    if (uncommittedEvents === 0) return false
    return (
      this.#isTimeUp || uncommittedEvents >= LIVE_COMMIT_EVENTS || this.#waiters.isAwaited(view)
    )
  }

  /**
   * Starts the time of what was folded and is not committed yet, unless the time of something
   * before it runs already.
   */
  plan(views: readonly LiveView[]): void {
    if (views.every(({ file }) => file.uncommittedEvents === 0)) {
      this.clear()
      return
    }
    this.#cancel ??= this.#timer.after(LIVE_COMMIT_MS, () => {
      this.#isTimeUp = true
      this.#requestCommit()
    })
  }

  /** Forgets the time, when all was committed or is to be read again. */
  clear(): void {
    this.#cancel?.()
    this.#cancel = undefined
    this.#isTimeUp = false
  }

  #requestCommit(): void {
    this.#request.resolve()
    this.#request = Promise.withResolvers()
  }
}
