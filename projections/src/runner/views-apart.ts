/**
 * Views that are built apart from those that follow the log, and come back to them: with all of
 * their rows, or empty when they are to be built here after all.
 */
import { untilAborted } from '@svc/contracts/ports/within'
import type { LiveView } from './live-view.ts'

/** Builds views from the start of a long log. */
export interface LongViewBuilds {
  /** Whether a view that is not at the end of the log yet is better built apart. */
  isLong(view: LiveView): boolean
  /**
   * Resolves when the views have joined the others, or will not.
   *
   * @returns whether those that have not joined are to be built here
   */
  build(views: readonly LiveView[]): Promise<boolean>
}

export class ViewsApart {
  readonly #views: readonly LiveView[]
  readonly #builds: LongViewBuilds
  #joined = Promise.withResolvers<void>()

  /** @param views all that there are */
  constructor(views: readonly LiveView[], builds: LongViewBuilds) {
    this.#views = views
    this.#builds = builds
  }

  get isEmpty(): boolean {
    return this.#views.every(({ builtApart }) => builtApart === undefined)
  }

  /**
   * Begins to build those apart that are long.
   *
   * @param onBack called when they are to be built here after all
   * @returns whether there are any
   */
  takeLong(views: readonly LiveView[], onBack: () => void): boolean {
    const long = views.filter((view) => this.#builds.isLong(view))
    if (long.length === 0) return false
    for (const view of long) view.buildApart()
    void this.#builds.build(long).then((isForHere) => {
      if (!isForHere) return
      for (const view of long) view.builtApart = undefined
      onBack()
      this.letJoin()
    })
    return true
  }

  /** Some view has come back. */
  letJoin(): void {
    this.#joined.resolve()
    this.#joined = Promise.withResolvers()
  }

  async untilOneJoins(signal: AbortSignal): Promise<void> {
    await untilAborted(this.#joined.promise, signal).catch(() => {})
  }
}
