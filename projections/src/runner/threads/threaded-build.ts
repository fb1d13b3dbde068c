/**
 * Views that are built in threads: the log is read here, once for all of them, in steps of the
 * pace; parsing, folding, writing and comparing happen there.
 */
import { START } from '@svc/contracts/ports/event-store'
import type { Timer } from '@svc/contracts/ports/time'
import { decodeBatch } from '../../projection/decode.ts'
import {
  type BuildPorts,
  besidePath,
  type FoldBeside,
  type ViewComparison,
  type ViewsBeside,
} from '../beside/views-beside.ts'
import { removeDatabase, removeLargeDatabase } from '../file/view-database.ts'
import type { LiveView } from '../live-view.ts'
import { LogPages } from './log-pages.ts'
import { RunningThread, ThreadLostError } from './running-thread.ts'
import { shareOut } from './share-out.ts'
import { newThreadSignals, type ThreadSignals, tellServed } from './thread-pace.ts'

/** How often the threads are told whether customers are served. */
const SERVED_LOOK_MS = 20

export interface BuildThreads {
  /** The most threads that one reading of the log is folded in. */
  readonly count: number
  /** Events from which on a build is worth a thread: its start takes some tenths of a second. */
  readonly longEvents: number
  /** The environment of the threads. */
  readonly environment: NodeJS.ProcessEnv
}

export interface ThreadedPorts extends BuildPorts {
  readonly threads: BuildThreads
  readonly timer: Timer
}

interface Share {
  readonly names: readonly string[]
  readonly thread: RunningThread
}

export class ThreadedBuild implements ViewsBeside {
  readonly #ports: ThreadedPorts
  /** The files that have replaced no live one yet, by the names of the views. */
  readonly #paths: Map<string, string>
  readonly #pages: LogPages
  readonly #signals: ThreadSignals = newThreadSignals()
  readonly #shares: Share[] = []
  #onFolded: FoldBeside['onFolded']
  #stopTelling: () => void = () => {}

  private constructor(views: readonly LiveView[], ports: ThreadedPorts) {
    this.#ports = ports
    this.#paths = new Map(views.map(({ name, file }) => [name, besidePath(file)]))
    this.#pages = new LogPages(ports)
  }

  /** @throws {ThreadLostError} when one ends at once */
  static async open(views: readonly LiveView[], ports: ThreadedPorts): Promise<ThreadedBuild> {
    ports.signal.throwIfAborted()
    const build = new ThreadedBuild(views, ports)
    try {
      for (const path of build.#paths.values()) removeDatabase(path)
      build.#begin()
      await Promise.all(build.#shares.map((share) => build.#openIn(share)))
      return build
    } catch (error) {
      await build.close()
      throw error
    }
  }

  async fold(asked: FoldBeside): Promise<void> {
    const { names, until, onStopped } = asked
    if (until === START) return
    this.#onFolded = asked.onFolded
    this.#pages.onPassedOver = asked.onPassedOver
    const isLenient = onStopped !== undefined
    const folding = this.#shares.map(async ({ names: all, thread }) => {
      const own = names === undefined ? all : all.filter((name) => names.includes(name))
      if (own.length === 0) return
      const { folded, stopped } = await thread.fold({ names: own, until, isLenient })
      asked.onFolded?.(folded, own)
      for (const [name, why] of Object.entries(stopped)) onStopped?.(name, why)
    })
    try {
      await Promise.all([...folding, this.#givePages(asked)])
    } catch (error) {
      // A thread that lives can go on, once the others have come to rest as well.
      if (!(error instanceof ThreadLostError)) await Promise.allSettled(folding)
      throw error
    } finally {
      this.#onFolded = undefined
      this.#pages.onPassedOver = undefined
    }
  }

  async compare(view: LiveView): Promise<ViewComparison> {
    const { name, file } = view
    const { calls } = this.#threadOf(name)
    const live = await this.#ports.runner.betweenDeliveries(async () => {
      await file.finish()
      return calls.call('openLive', { name, path: file.path })
    })
    await this.fold({ until: live.position, names: [name] })
    const differences = await calls.call('compare', { name })
    return { name, events: live.events, differences }
  }

  prepare(name: string): Promise<void> {
    return this.#threadOf(name).calls.call('prepare', { name })
  }

  async replace({ name, file }: LiveView): Promise<{ readonly freed: Promise<void> }> {
    await this.#threadOf(name).calls.call('complete', { name })
    this.#ports.signal.throwIfAborted()
    const path = this.#paths.get(name) as string
    this.#paths.delete(name)
    return file.replaceBy(path)
  }

  async close(): Promise<void> {
    this.#stopTelling()
    this.#ports.signal.removeEventListener('abort', this.#abort)
    const over = new Error('the build is over')
    await Promise.all(this.#shares.map(({ thread }) => thread.end(over)))
    for (const path of this.#paths.values()) await removeLargeDatabase(path)
  }

  readonly #abort = (): void => {
    const { reason } = this.#ports.signal
    for (const { thread } of this.#shares) void thread.end(reason)
  }

  #begin(): void {
    const { signal, threads } = this.#ports
    this.#tellServed()
    signal.addEventListener('abort', this.#abort)
    for (const names of shareOut([...this.#paths.keys()], threads.count)) {
      this.#shares.push({ names, thread: this.#start(names) })
    }
  }

  #start(names: readonly string[]): RunningThread {
    const { threads, inspect } = this.#ports
    return new RunningThread({
      environment: threads.environment,
      signals: this.#signals,
      inspect,
      reader: this.#pages.reader(),
      onFolded: (folded) => this.#onFolded?.(folded, names),
    })
  }

  #openIn({ names, thread }: Share): Promise<void> {
    const views = names.map((name) => ({ name, path: this.#paths.get(name) as string }))
    return thread.calls.call('open', { views })
  }

  #threadOf(name: string): RunningThread {
    const share = this.#shares.find(({ names }) => names.includes(name))
    if (share === undefined) throw new Error(`the view ${name} is not built here`)
    return share.thread
  }

  /** Gives the events to somebody here, who reads them beside the threads. */
  async #givePages({ until, onBatch }: FoldBeside): Promise<void> {
    if (onBatch === undefined) return
    const { pace, signal } = this.#ports
    const reader = this.#pages.reader()
    reader.isReading = true
    try {
      for (let after = START; after < until; ) {
        signal.throwIfAborted()
        const events = await reader.eventsBehind(after)
        const news = events.filter(({ position }) => position <= until)
        if (news.length === 0) return
        await onBatch(await pace.step(() => decodeBatch(news)))
        after = news.at(-1)?.position ?? until
      }
    } finally {
      reader.isReading = false
    }
  }

  #tellServed(): void {
    tellServed(this.#signals, this.#ports.pace)
    this.#stopTelling = this.#ports.timer.after(SERVED_LOOK_MS, () => this.#tellServed())
  }
}
