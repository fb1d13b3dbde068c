/**
 * Keeps the views at the end of the log: one subscription and one decoding for all of them.
 *
 * Each view has its own checkpoint and its own transaction. The subscription starts behind the
 * checkpoint that is furthest back, and views that are ahead of it skip the events that they have.
 *
 *     begin ── no view follows ──▶ wait until one comes back ──▶ begin
 *       └── subscribe ──▶ delivery ──▶ delivery ──▶ …
 *                            ├── a view has fallen behind, or left, or come back ──▶ begin
 *                            └── the store is away, the disk is full ──▶ pause ──▶ begin
 *
 * A view takes events only when it has all that were delivered before them. So whatever happens to
 * one in a delivery, or between two of them, costs the others nothing and leaves no hole in it:
 *
 *     falls behind     to its last commit before an event that it cannot fold, or to an empty file
 *                      when its own is damaged: it takes nothing until the next subscription, which
 *                      begins where it stands
 *     fails            stays before an event that it cannot fold, until it is rebuilt
 *     is built apart   begins at the start of a long log: it follows again when it is built
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { messageOf } from '@svc/contracts/error-message'
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
import { untilAborted } from '@svc/contracts/ports/within'
import { decodeBatch } from '../projection/decode.ts'
import { isPassingTrouble } from './file/file-trouble.ts'
import type { InspectStream } from './fold-singly.ts'
import { type OlderLogRule, resetForeignViews } from './foreign-views.ts'
import { LiveCommits } from './live-commits.ts'
import type { LiveView } from './live-view.ts'
import { CANNOT_FOLLOW, type ProjectionLog } from './projection-log.ts'
import { ViewWaiters } from './view-waiters.ts'

/** Events that are read, or folded into all views, without a break: a millisecond or two. */
export const BATCH_EVENTS = 250
/** The pauses between two subscriptions, of which the first failed. */
const PAUSES = { firstMs: 100, longestMs: 5_000 }

/** Builds views from the start of a long log. */
export interface LongViewBuilds {
  /** Whether a view that is not at the end of the log yet is better built apart. */
  isLong(view: LiveView): boolean
  /**
   * Resolves when the views have come back, or will not.
   *
   * @returns whether those that have not come back are to be built here
   */
  build(views: readonly LiveView[]): Promise<boolean>
}

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
  readonly #longBuilds: LongViewBuilds
  readonly #commits: LiveCommits
  #running: Promise<void> | undefined
  /** Resolves when the last work given to {@link betweenDeliveries} so far is done. */
  #atWork: Promise<void> = Promise.resolve()
  #delivered: Position = START
  #caughtUp = false
  /** Ends the subscription, or the wait for a view that follows. */
  #end = new AbortController()

  constructor(ports: RunnerPorts) {
    const { store, views, log, olderLog, inspect, quarantine, pace, timer, longBuilds } = ports
    this.#store = store
    this.#longBuilds = longBuilds
    this.#inspect = inspect
    this.#quarantine = quarantine
    this.#views = views
    this.#log = log
    this.#olderLog = olderLog
    this.#pace = pace
    this.#timer = timer
    this.#backoff = new Backoff(timer, PAUSES)
    this.#commits = new LiveCommits(timer, this.#waiters)
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
      if (!view.isApart) await this.#finishForTheLastTime(view)
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

  /** Takes a view back that has all that was delivered. To be called between deliveries. */
  revive(view: LiveView): void {
    const isAlone = this.#followers().length === 0
    if (this.#running === undefined) view.revive('stopped')
    else view.revive(this.#caughtUp ? 'live' : 'catching-up')
    this.#waiters.settle()
    if (isAlone) this.#beginAgain()
  }

  /** Takes a view back that was rebuilt up to an event that it cannot fold. */
  reviveStopped(view: LiveView, error: unknown): void {
    view.stop(error)
    this.#waiters.settle()
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
      this.#end = new AbortController()
      const end = AbortSignal.any([signal, this.#end.signal])
      try {
        await resetForeignViews(this.#followers(), this.#store, this.#log, this.#olderLog)
        if (this.#followers().length > 0) await this.#follow(end)
        else await this.#waitForFollower(end)
      } catch (error) {
        if (!signal.aborted) await this.#pauseAfter(error, signal)
      }
    }
  }

  /** Subscribes anew, behind the view that is furthest back now. */
  #beginAgain(): void {
    this.#end.abort()
  }

  async #waitForFollower(signal: AbortSignal): Promise<void> {
    this.#caughtUp = false
    await untilAborted(new Promise(() => {}), signal).catch(() => {})
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const after = lowest(this.#followers().map(({ folded }) => folded))
    this.#delivered = after
    this.#caughtUp = false
    const subscription = this.#store
      .subscribe({ after, batchSize: BATCH_EVENTS, signal })
      [Symbol.asyncIterator]()
    try {
      await this.#consume(subscription, signal)
    } finally {
      // Whoever still waits for an event of the subscription would keep it from being closed.
      this.#beginAgain()
      this.#commits.clear()
      await subscription.return?.()
    }
  }

  async #consume(
    subscription: AsyncIterator<SubscriptionBatch>,
    signal: AbortSignal,
  ): Promise<void> {
    let next = subscription.next()
    // The promise is taken before the work, so that a request for a commit that comes in the middle
    // of the work is not missed.
    let commitRequested = this.#commits.requested
    for (;;) {
      const received = await Promise.race([next, commitRequested])
      commitRequested = this.#commits.requested
      if (received === undefined) {
        await this.betweenDeliveries(() => this.#commitLive())
        continue
      }
      if (received.done === true) return
      const batch = received.value
      if (batch.caughtUp && this.#caughtUp) await this.#commits.linger(signal)
      await this.betweenDeliveries(() => this.#deliver(batch))
      this.#backoff.reset()
      await nextTurn()
      next = subscription.next()
    }
  }

  async #deliver({ events, caughtUp }: SubscriptionBatch): Promise<void> {
    const followers = this.#followers()
    const isLive = caughtUp && this.#caughtUp
    await this.#fold(events, caughtUp)
    if (!isLive) await this.#commitCatchingUp(caughtUp)
    for (const view of followers) this.noteSetAside(view)
    this.#caughtUp = caughtUp
    for (const view of this.#takers()) {
      view.state = caughtUp ? 'live' : 'catching-up'
      view.error = null
    }
    if (isLive) await this.#commitLive()
    else this.#settle()
    if (!caughtUp) this.#buildLongApart()
  }

  async #fold(events: readonly RecordedEvent[], caughtUp: boolean): Promise<void> {
    const step = this.#stepFor(caughtUp)
    for (let from = 0; from < events.length; ) {
      const part = events.slice(from, from + stepSize(this.#pace, BATCH_EVENTS))
      from += part.length
      const takers = this.#takers()
      // The doubt is looked at before the folding, because what is folded singly commits each
      // event.
      const inDoubt = takers.filter(({ isInDoubt }) => isInDoubt)
      const decoded = await step(() => {
        const batch = decodeBatch(part)
        for (const view of takers) if (!inDoubt.includes(view)) view.fold(batch)
        return batch
      })
      for (const view of inDoubt) await step(() => view.foldSingly(decoded, this.#inspect))
      this.#delivered = part.at(-1)?.position ?? this.#delivered
    }
  }

  #stepFor(caughtUp: boolean): Pace['step'] {
    return caughtUp ? async (work) => work() : (work) => this.#pace.step(work)
  }

  async #commitCatchingUp(caughtUp: boolean): Promise<void> {
    for (const view of this.#takers()) {
      if (caughtUp) await view.finish(this.#pace)
      else await view.commitIfLong(this.#pace)
    }
  }

  async #commitLive(): Promise<void> {
    if (!this.#caughtUp) return
    for (const view of this.#takers()) {
      if (!this.#commits.isDue(view)) continue
      await view.finish(this.#pace)
      await nextTurn()
    }
    this.#commits.plan(this.#takers())
    this.#settle()
  }

  /** Tells those who wait, and begins again unless all that follow can take the next events. */
  #settle(): void {
    this.#waiters.settle()
    const takers = this.#takers().length
    if (takers === 0 || takers < this.#followers().length) this.#beginAgain()
  }

  /** The views that are left go on from where they are. */
  #buildLongApart(): void {
    const long = this.#followers().filter((view) => this.#longBuilds.isLong(view))
    if (long.length === 0) return
    for (const view of long) view.buildApart()
    this.#beginAgain()
    void this.#longBuilds.build(long).then((isForHere) => {
      if (!isForHere) return
      for (const view of long) view.buildHere()
      this.#beginAgain()
    })
  }

  async #pauseAfter(error: unknown, signal: AbortSignal): Promise<void> {
    const why = messageOf(error)
    const followers = this.#followers()
    if (followers.some((view) => view.error !== why)) {
      this.#log.error({ reason: why }, CANNOT_FOLLOW)
    }
    for (const view of followers) view.error = why
    this.#commitBeforePause()
    await this.#backoff.pause(signal)
  }

  /** Commits what was read before the trouble, so that it can be seen during it. */
  #commitBeforePause(): void {
    for (const view of this.#followers()) {
      try {
        view.commit()
      } catch {
        // The view is back at its last commit. The next subscription begins there, and fails alike.
      }
    }
    this.#waiters.settle()
  }

  #followers(): readonly LiveView[] {
    return this.#views.filter(({ follows }) => follows)
  }

  /** The views that can take the next events: they have all before these. */
  #takers(): readonly LiveView[] {
    return this.#followers().filter(({ folded }) => folded >= this.#delivered)
  }
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
