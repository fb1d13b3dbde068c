/**
 * Keeps the views at the end of the log: one subscription and one decoding for all of them.
 *
 * Each view has its own checkpoint and its own transaction. The subscription starts behind the
 * checkpoint that is furthest back, and views that are ahead of it skip the events that they have.
 * A view that cannot fold an event stops, and the others go on. Any other failure (the store is
 * away, the disk is full, a file is damaged) ends the subscription, and a new one starts from the
 * checkpoints.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Backoff } from '@svc/contracts/ports/backoff'
import {
  type EventStore,
  type Position,
  type RecordedEvent,
  START,
  type SubscriptionBatch,
} from '@svc/contracts/ports/event-store'
import { type Pace, stepSize } from '@svc/contracts/ports/pace'
import type { Quarantine } from '@svc/contracts/ports/quarantine'
import type { Timer } from '@svc/contracts/ports/time'
import { type DecodedBatch, decodeBatch } from '../projection/decode.ts'
import { isDamage, isPassingTrouble } from './file/file-trouble.ts'
import type { InspectStream } from './fold-singly.ts'
import { type OlderLogRule, resetForeignViews } from './foreign-views.ts'
import { LiveCommits } from './live-commits.ts'
import { type LiveView, ViewRewoundError } from './live-view.ts'
import { CANNOT_FOLLOW, FILE_DAMAGED, type ProjectionLog } from './projection-log.ts'
import { ViewWaiters } from './view-waiters.ts'
import { type LongViewBuilds, ViewsApart } from './views-apart.ts'

/** Events that are read, or folded into all views, without a break: a millisecond or two. */
export const BATCH_EVENTS = 250
/** The pauses between two subscriptions, of which the first failed. */
const PAUSES = { firstMs: 100, longestMs: 5_000 }

export interface RunnerPorts {
  readonly store: EventStore
  readonly views: readonly LiveView[]
  readonly log: ProjectionLog
  readonly olderLog: OlderLogRule
  readonly inspect: InspectStream
  /** Is told of every stream that a view leaves out. */
  readonly quarantine: Pick<Quarantine, 'note'>
  /** The pace of catching up. At the end of the log the views follow at once. */
  readonly pace: Pace
  readonly timer: Timer
  readonly longBuilds: LongViewBuilds
}

export class Runner {
  readonly #store: EventStore
  readonly #views: readonly LiveView[]
  readonly #log: ProjectionLog
  readonly #olderLog: OlderLogRule
  readonly #inspect: InspectStream
  readonly #quarantine: Pick<Quarantine, 'note'>
  readonly #pace: Pace
  readonly #timer: Timer
  readonly #backoff: Backoff
  readonly #closing = new AbortController()
  readonly #waiters = new ViewWaiters()
  readonly #apart: ViewsApart
  readonly #commits: LiveCommits
  #running: Promise<void> | undefined
  /** Resolves when the last work given to {@link betweenDeliveries} so far is done. */
  #atWork: Promise<void> = Promise.resolve()
  #delivered: Position = START
  #caughtUp = false
  #endFollowing: () => void = () => {}

  constructor(ports: RunnerPorts) {
    const { store, views, log, olderLog, inspect, quarantine, pace, timer, longBuilds } = ports
    this.#store = store
    this.#apart = new ViewsApart(views, longBuilds)
    this.#inspect = inspect
    this.#quarantine = quarantine
    this.#views = views
    this.#log = log
    this.#olderLog = olderLog
    this.#pace = pace
    this.#timer = timer
    this.#backoff = new Backoff(timer, PAUSES)
    this.#commits = new LiveCommits(timer, pace, this.#waiters)
  }

  /** The position of the last event that was delivered to the views. */
  get delivered(): Position {
    return this.#delivered
  }

  start(): void {
    this.#running ??= this.#run()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#running
    for (const view of this.#views) {
      // The next start begins anew what is built apart.
      if (view.builtApart === undefined) await this.#finishForTheLastTime(view)
      if (view.state !== 'failed') view.state = 'stopped'
    }
    this.#waiters.giveUp()
  }

  /** Runs work while no view is given events. */
  async betweenDeliveries<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = this.#atWork
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#atWork = promise
    await before
    try {
      return await work()
    } finally {
      resolve()
    }
  }

  /** Takes a view back that was rebuilt. */
  revive(view: LiveView): void {
    if (this.#running === undefined) view.revive('stopped')
    else view.revive(this.#caughtUp ? 'live' : 'catching-up')
    this.#waiters.settle()
    this.#apart.letJoin()
  }

  /** Takes a view back that was rebuilt up to an event that it cannot fold. */
  reviveStopped(view: LiveView, error: unknown): void {
    this.#leave(view, error)
    this.#waiters.settle()
    this.#apart.letJoin()
  }

  /** Tells of the streams that a view leaves out. */
  noteSetAside({ file }: LiveView): void {
    for (const [stream, hole] of file.setAside) this.#quarantine.note({ stream, ...hole })
  }

  /**
   * Resolves to true once the view, or all of them, have the event at the position; to false when
   * the time is over, or at once when a view has failed and will not get there.
   */
  async reached(position: Position, timeoutMs: number, name?: string): Promise<boolean> {
    const views = this.#views.filter((view) => name === undefined || view.name === name)
    const awaited = { views, position, timeoutMs }
    return this.#waiters.wait(this.#timer, awaited, () => this.#commits.hurry())
  }

  /**
   * Commits once more before the end. A full disk must not keep the process from stopping: the next
   * start folds these events again.
   */
  async #finishForTheLastTime(view: LiveView): Promise<void> {
    try {
      await view.file.finish()
    } catch (error) {
      if (!isPassingTrouble(error)) throw error
      const reason = messageOf(error)
      this.#log.warn({ view: view.name, reason }, 'failed to save the last events of a view')
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      try {
        await resetForeignViews(this.#active(), this.#store, this.#log, this.#olderLog)
        if (this.#active().length > 0 || this.#apart.isEmpty) await this.#follow(signal)
        else await this.#apart.untilOneJoins(signal)
      } catch (error) {
        await this.#pauseAfter(error, signal)
      }
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    this.#delivered = lowest(this.#active().map(({ folded }) => folded))
    this.#caughtUp = false
    const end = new AbortController()
    this.#endFollowing = () => end.abort()
    const subscription = this.#store
      .subscribe({
        after: this.#delivered,
        batchSize: BATCH_EVENTS,
        signal: AbortSignal.any([signal, end.signal]),
      })
      [Symbol.asyncIterator]()
    try {
      await this.#hear(subscription, signal)
    } finally {
      end.abort()
      this.#commits.clear()
      await subscription.return?.()
    }
  }

  async #hear(subscription: AsyncIterator<SubscriptionBatch>, signal: AbortSignal): Promise<void> {
    let next = subscription.next()
    // The call is taken before the work that it may come in the middle of, so that none is missed.
    let called = this.#commits.called
    for (;;) {
      const heard = await Promise.race([next, called])
      called = this.#commits.called
      if (heard === undefined) {
        await this.betweenDeliveries(() => this.#commitLive())
        continue
      }
      if (heard.done === true) return
      const batch = heard.value
      if (batch.caughtUp && this.#caughtUp) await this.#commits.linger(signal)
      await this.betweenDeliveries(() => this.#deliver(batch))
      this.#backoff.reset()
      await nextTurn()
      next = subscription.next()
    }
  }

  async #deliver({ events, caughtUp }: SubscriptionBatch): Promise<void> {
    const active = this.#active()
    const isLive = caughtUp && this.#caughtUp
    if (active.length > 0) await this.#fold(active, events, caughtUp)
    this.#delivered = events.at(-1)?.position ?? this.#delivered
    for (const view of active) {
      if (!isLive) await this.#orStop(view, () => this.#commit(view, caughtUp))
      this.noteSetAside(view)
    }
    this.#caughtUp = caughtUp
    for (const view of this.#active()) {
      view.state = caughtUp ? 'live' : 'catching-up'
      view.error = null
    }
    if (isLive) await this.#commitLive()
    else this.#waiters.settle()
    if (caughtUp) return
    // The views that are left go on from where they are.
    const isFewer = this.#apart.takeLong(this.#active(), () => this.#endFollowing())
    if (isFewer) throw new ViewsApartError()
  }

  async #fold(
    views: readonly LiveView[],
    events: readonly RecordedEvent[],
    caughtUp: boolean,
  ): Promise<void> {
    const step = this.#stepFor(caughtUp)
    for (let from = 0; from < events.length; ) {
      const part = events.slice(from, from + stepSize(this.#pace, BATCH_EVENTS))
      from += part.length
      // The doubt is looked at before the folding, because what is folded singly commits each
      // event.
      const inDoubt = views.filter(({ isInDoubt }) => isInDoubt)
      const decoded = await step(() => {
        const batch = decodeBatch(part)
        for (const view of views) if (!inDoubt.includes(view)) this.#foldInto(view, batch)
        return batch
      })
      for (const view of inDoubt) {
        await this.#orStop(view, () => step(() => view.foldSingly(decoded, this.#inspect)))
      }
    }
  }

  #foldInto(view: LiveView, batch: DecodedBatch): void {
    if (view.state === 'failed') return
    try {
      view.fold(batch)
    } catch (error) {
      this.#stopView(view, error)
    }
  }

  async #commit(view: LiveView, caughtUp: boolean): Promise<void> {
    if (view.state === 'failed') return
    if (caughtUp) await view.finish(this.#pace)
    else await view.commitIfLong(this.#pace)
  }

  async #commitLive(): Promise<void> {
    if (!this.#caughtUp) return
    await this.#commits.commit(
      () => this.#active(),
      (view, work) => this.#orStop(view, work),
    )
    this.#waiters.settle()
  }

  #stepFor(caughtUp: boolean): Pace['step'] {
    return caughtUp ? async (work) => work() : (work) => this.#pace.step(work)
  }

  async #orStop(view: LiveView, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#stopView(view, error)
    }
  }

  #stopView(view: LiveView, error: unknown): void {
    if (isDamage(error)) {
      this.#log.warn({ view: view.name, path: view.file.path }, FILE_DAMAGED)
      view.file.reset()
      throw new ViewResetError()
    }
    if (isPassingTrouble(error) || error instanceof ViewRewoundError) throw error
    this.#leave(view, error)
  }

  #leave(view: LiveView, error: unknown): void {
    view.fail(error)
    const fields = { view: view.name, reason: view.error ?? '' }
    this.#log.error(fields, 'view stopped before an event it cannot fold, needs a rebuild')
  }

  async #pauseAfter(error: unknown, signal: AbortSignal): Promise<void> {
    if (error instanceof ViewResetError || error instanceof ViewRewoundError) return
    if (error instanceof ViewsApartError) return
    if (signal.aborted) return
    const why = messageOf(error)
    if (this.#active().some((view) => view.error !== why)) {
      this.#log.error({ reason: why }, CANNOT_FOLLOW)
    }
    for (const view of this.#active()) view.error = why
    this.#commitBeforePause()
    await this.#backoff.pause(signal)
  }

  /** Commits what was read before the trouble, so that it can be seen during it. */
  #commitBeforePause(): void {
    for (const view of this.#active()) {
      try {
        view.commit()
      } catch {
        // The view is back at its last commit. The next subscription begins there, and fails alike.
      }
    }
    this.#waiters.settle()
  }

  #active(): readonly LiveView[] {
    return this.#views.filter(
      ({ state, builtApart }) => state !== 'failed' && builtApart === undefined,
    )
  }
}

/** Ends a subscription because some views are built apart from now on. No failure. */
class ViewsApartError extends Error {
  override readonly name = 'ViewsApartError'
}

/** Ends a subscription because the file of a view was damaged and begins anew. */
class ViewResetError extends Error {
  override readonly name = 'ViewResetError'
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Finds the lowest position; {@link START} of none. */
export function lowest(positions: readonly Position[]): Position {
  return (
    positions.reduce<Position | undefined>(
      (low, position) => (low === undefined || position < low ? position : low),
      undefined,
    ) ?? START
  )
}
