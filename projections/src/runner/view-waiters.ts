/** Those who wait until views have an event in their rows. */
import type { Position } from '@svc/contracts/ports/event-store'
import type { Timer } from '@svc/contracts/ports/time'
import { within } from '@svc/contracts/ports/within'
import type { LiveView } from './live-view.ts'

export interface Awaited {
  readonly views: readonly LiveView[]
  readonly position: Position
  readonly timeoutMs: number
}

interface Waiter extends Pick<Awaited, 'views' | 'position'> {
  readonly settle: (reached: boolean) => void
}

export class ViewWaiters {
  readonly #waiters = new Set<Waiter>()

  get isEmpty(): boolean {
    return this.#waiters.size === 0
  }

  /**
   * Resolves to true once all the views have the event; to false when the time is over, or at once
   * when a view has failed and will not get there.
   *
   * @param onWait called when that is still open
   */
  async wait(
    timer: Timer,
    { views, position, timeoutMs }: Awaited,
    onWait: () => void,
  ): Promise<boolean> {
    const now = standing(views, position)
    if (now !== undefined) return now
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const waiter: Waiter = { views, position, settle: resolve }
    this.#waiters.add(waiter)
    onWait()
    try {
      return await within(timer, timeoutMs, promise, false)
    } finally {
      this.#waiters.delete(waiter)
    }
  }

  /** Tells those whose wait is over. */
  settle(): void {
    for (const { views, position, settle } of this.#waiters) {
      const reached = standing(views, position)
      if (reached !== undefined) settle(reached)
    }
  }

  /** Nothing comes any more. */
  giveUp(): void {
    for (const { settle } of this.#waiters) settle(false)
  }

  /** Whether a commit brings somebody what is waited for. */
  isAwaited(view: LiveView): boolean {
    for (const { views, position } of this.#waiters) {
      if (view.folded >= position && view.position < position && views.includes(view)) return true
    }
    return false
  }
}

/** Whether all views have it, or one never will; undefined while that is open. */
function standing(views: readonly LiveView[], position: Position): boolean | undefined {
  if (views.some((view) => view.isForeign)) return false
  if (views.every((view) => view.position >= position)) return true
  return views.some((view) => view.state === 'failed' && view.position < position)
    ? false
    : undefined
}
