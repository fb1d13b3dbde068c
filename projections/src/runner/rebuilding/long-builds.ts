/**
 * Builds views that begin at the start of a long log: in threads, beside the views that follow.
 *
 *     the first events are folded where the requests are answered
 *        └─ the log goes on ──▶ begun again in threads ──▶ joins the others at the end of the log
 *                                   │        └─ event that it cannot fold: stays before it
 *                                   ├─ the store or the disk is away: goes on when it is back
 *                                   └─ its thread ends: again, a few times; then without threads
 *
 * A short log needs no thread, whose start takes longer. Meanwhile the view answers as an empty
 * one, and whoever waits for it is told that it is behind.
 */
import { messageOf } from '@svc/contracts/error-message'
import { Backoff } from '@svc/contracts/ports/backoff'
import { type Position, START } from '@svc/contracts/ports/event-store'
import type { ViewsBeside } from '../beside/views-beside.ts'
import { isDamage } from '../file/file-trouble.ts'
import { AT_START, type FoldedPlace, type LiveView } from '../live-view.ts'
import { BUILDING_AGAIN, BUILDING_WITHOUT_THREADS, CANNOT_FOLLOW } from '../projection-log.ts'
import { ThreadLostError } from '../threads/running-thread.ts'
import { type BuildThreads, ThreadedBuild, type ThreadedPorts } from '../threads/threaded-build.ts'
import type { ViewBuilds } from './view-builds.ts'

/** How often a build in threads is tried. Then the views are built without threads. */
const TRIES_MAX = 3
/** The pauses between two tries, of which the first failed. */
const PAUSES = { firstMs: 100, longestMs: 5_000 }
/** The log grows while it is folded: what came meanwhile is less each time. */
const ROUNDS_MAX = 5

export class LongBuilds {
  readonly #builds: ViewBuilds
  readonly #threads: BuildThreads | undefined
  /** Views whose threads have ended again and again. */
  readonly #givenUp = new Set<LiveView>()

  constructor(builds: ViewBuilds, threads: BuildThreads | undefined) {
    this.#builds = builds
    this.#threads = threads
  }

  /** Whether a view that is not at the end of the log yet is better built apart. */
  isLong(view: LiveView): boolean {
    if (this.#threads === undefined || this.#givenUp.has(view)) return false
    return view.file.isBeingBuilt && view.file.folded.events >= this.#threads.longEvents
  }

  /**
   * Resolves when the views have joined those that follow the log, or will not.
   *
   * @returns whether those that have not joined are to be built without threads
   */
  async build(views: readonly LiveView[]): Promise<boolean> {
    const threads = this.#threads
    if (threads === undefined) return true
    try {
      await this.#builds.run(
        views,
        (build, free) => buildPatiently(views, { ...build, threads, free }),
        undefined,
      )
    } catch {
      // It was closed, or somebody else builds one of the views.
    }
    for (const view of notJoined(views)) this.#givenUp.add(view)
    return !this.#builds.isClosed
  }
}

interface LongBuildPorts extends ThreadedPorts {
  /** Lets others build the view: it has joined. */
  readonly free: (view: LiveView) => void
}

async function buildPatiently(views: readonly LiveView[], ports: LongBuildPorts): Promise<void> {
  const { log, signal, timer } = ports
  const backoff = new Backoff(timer, PAUSES)
  let left = views
  for (let tries = 1; left.length > 0; tries += 1) {
    try {
      await new LongBuild(left, ports).run()
    } catch (error) {
      signal.throwIfAborted()
      const fields = { views: namesOf(left), reason: messageOf(error) }
      log.warn(fields, tries < TRIES_MAX ? BUILDING_AGAIN : BUILDING_WITHOUT_THREADS)
      if (tries === TRIES_MAX) return
      await backoff.pause(signal)
    }
    left = notJoined(views)
  }
}

/** One try of a long build. */
class LongBuild {
  readonly #views: readonly LiveView[]
  readonly #ports: LongBuildPorts
  readonly #backoff: Backoff
  /** Views that stay before an event, with the reason. */
  readonly #stopped = new Map<string, string>()
  #trouble: string | undefined

  constructor(views: readonly LiveView[], ports: LongBuildPorts) {
    this.#views = views
    this.#ports = ports
    this.#backoff = new Backoff(ports.timer, PAUSES)
  }

  async run(): Promise<void> {
    const { log, threads } = this.#ports
    const count = Math.min(threads.count, this.#views.length)
    const fields = { views: namesOf(this.#views), threads: count }
    log.info(fields, 'building views from the event log')
    for (const view of this.#views) view.showBuilt(AT_START)
    const beside = await ThreadedBuild.open(this.#views, this.#ports)
    try {
      await this.#foldToEnd(beside)
      for (const view of this.#views) await this.#join(view, beside)
    } finally {
      await beside.close()
    }
  }

  async #foldToEnd(beside: ViewsBeside): Promise<void> {
    let folded: Position = START
    for (let rounds = 0; rounds < ROUNDS_MAX; rounds += 1) {
      const until = await this.#patiently(() => this.#ports.store.lastPosition())
      if (until <= folded) return
      await this.#patiently(() => this.#foldTo(until, beside))
      folded = until
    }
  }

  async #foldTo(until: Position, beside: ViewsBeside): Promise<void> {
    const names = this.#views.map(({ name }) => name).filter((name) => !this.#stopped.has(name))
    if (names.length === 0) return
    await beside.fold({
      until,
      names,
      onFolded: (folded, of) => this.#showFolded(folded, of, until),
      onStopped: (name, why) => this.#stopped.set(name, why),
    })
  }

  /**
   * Shows how far a view is. Who sees a view at the end of the log reads its rows: these are there
   * once it has joined.
   */
  #showFolded(folded: FoldedPlace, names: readonly string[], until: Position): void {
    for (const view of this.#views) {
      if (!names.includes(view.name) || this.#stopped.has(view.name)) continue
      view.error = null
      if (folded.position < until) view.showBuilt(folded)
    }
  }

  /** Tries again what the store or the disk does not let through for the moment. */
  async #patiently<Result>(work: () => Promise<Result>): Promise<Result> {
    const { log, signal } = this.#ports
    for (;;) {
      try {
        const result = await work()
        this.#backoff.reset()
        this.#trouble = undefined
        return result
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof ThreadLostError || isDamage(error)) throw error
        const why = messageOf(error)
        if (why !== this.#trouble) log.error({ reason: why }, CANNOT_FOLLOW)
        this.#trouble = why
        for (const view of this.#views) view.error = why
        await this.#backoff.pause(signal)
        signal.throwIfAborted()
      }
    }
  }

  async #join(view: LiveView, beside: ViewsBeside): Promise<void> {
    const { runner, free } = this.#ports
    await beside.prepare(view.name)
    const { freed } = await runner.betweenDeliveries(async () => {
      if (!this.#stopped.has(view.name)) {
        await beside.fold({ until: runner.delivered, names: [view.name] })
      }
      const replaced = await beside.replace(view)
      free(view)
      runner.noteSetAside(view)
      const why = this.#stopped.get(view.name)
      if (why === undefined) runner.revive(view)
      else runner.reviveStopped(view, why)
      return replaced
    })
    await freed
  }
}

function notJoined(views: readonly LiveView[]): readonly LiveView[] {
  return views.filter(({ isApart }) => isApart)
}

function namesOf(views: readonly LiveView[]): readonly string[] {
  return views.map(({ name }) => name)
}
