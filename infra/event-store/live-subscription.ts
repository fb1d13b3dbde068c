/**
 * Subscriptions for stores that can say when their log has grown.
 *
 *     catching up ── the page reaches the end ──▶ live ── a commit ──▶ catching up …
 *
 * There is no buffer between writer and subscriber, and so no seam at which an event could be lost
 * or repeated: going live only means to wait for a commit before the next page is read. The trade:
 * a live event is read back from the store instead of being handed over, which costs some
 * microseconds.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type EventStore,
  PositionBeyondEndError,
  StoreClosedError,
  type SubscribeRequest,
  type SubscriptionBatch,
} from '@svc/contracts/ports/event-store'
import { admitReadAll } from './admit-append.ts'

type ReadableStore = Pick<EventStore, 'readAll' | 'lastPosition'>

/** Counts the commits of a store, and wakes those who wait for the next one. */
export class GrowthSignal {
  readonly #waiting = new Set<() => void>()
  #commits = 0
  #closed = false

  get commits(): number {
    return this.#commits
  }

  get closed(): boolean {
    return this.#closed
  }

  notify(): void {
    this.#commits += 1
    const woken = [...this.#waiting]
    this.#waiting.clear()
    for (const wake of woken) wake()
  }

  close(): void {
    this.#closed = true
    this.notify()
  }

  /**
   * Resolves as soon as there are more commits than were seen, or the signal is aborted. The count
   * is what makes it safe: a commit between the read and this call is not slept over.
   */
  async beyond(seen: number, signal: AbortSignal): Promise<void> {
    if (this.#commits !== seen || signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = (): void => resolve()
    this.#waiting.add(wake)
    signal.addEventListener('abort', wake)
    await promise
    signal.removeEventListener('abort', wake)
    this.#waiting.delete(wake)
  }
}

/**
 * Reads on from a position for as long as the store is open and the signal is not aborted.
 *
 * @throws {PositionBeyondEndError}
 */
export async function* subscribeTo(
  store: ReadableStore,
  growth: GrowthSignal,
  request: SubscribeRequest,
): AsyncGenerator<SubscriptionBatch, void, void> {
  try {
    yield* followLog(store, growth, request)
  } catch (error) {
    // A page that is closed or aborted in the middle ends like any other.
    const isOver = growth.closed || request.signal.aborted
    if (!isOver && !(error instanceof StoreClosedError)) throw error
  }
}

async function* followLog(
  store: ReadableStore,
  growth: GrowthSignal,
  request: SubscribeRequest,
): AsyncGenerator<SubscriptionBatch, void, void> {
  const { signal, batchSize: limit } = request
  const isOver = (): boolean => signal.aborted || growth.closed
  let after = request.after
  let toldCaughtUp = false
  admitReadAll({ after, limit })
  if (isOver()) return
  const last = await store.lastPosition()
  if (after > last) throw new PositionBeyondEndError(after, last)

  while (!isOver()) {
    const seen = growth.commits
    const events = await store.readAll({ after, limit })
    after = events.at(-1)?.position ?? after
    // A page that is not full has met the end.
    const caughtUp = events.length < limit
    if (events.length > 0 || !toldCaughtUp) yield { events, caughtUp }
    toldCaughtUp = caughtUp
    // A long catch-up must not keep the process from its other work: it gives way at every page.
    await (caughtUp ? growth.beyond(seen, signal) : nextTurn())
  }
}
