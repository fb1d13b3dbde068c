/** Rebuilds that are begun, followed and cancelled by whoever comes, and how the last one ended. */

import type { LiveView } from '../live-view.ts'
import type { RebuildState } from '../projection-status.ts'
import {
  type RebuildProgress,
  type RebuildSummary,
  type RebuildTrial,
  rebuildView,
  tryRebuild,
} from './rebuild.ts'
import type { ViewBuilds } from './view-builds.ts'

interface Begun {
  state: RebuildState
  readonly cancel: AbortController
}

export class Rebuilds {
  readonly #builds: ViewBuilds
  /** The last rebuild by the name of the view. */
  readonly #last = new Map<string, Begun>()

  constructor(builds: ViewBuilds) {
    this.#builds = builds
  }

  /** The state of the last rebuild; undefined for a view that was not rebuilt yet. */
  last(name: string): RebuildState | undefined {
    return this.#last.get(name)?.state
  }

  /** @throws {ServiceError} `conflict` when the view is being built already */
  async run(
    view: LiveView,
    onProgress: (progress: RebuildProgress) => void,
    signal: AbortSignal | undefined,
  ): Promise<RebuildSummary> {
    const cancel = new AbortController()
    const either = [cancel.signal, ...(signal === undefined ? [] : [signal])]
    const stop = AbortSignal.any(either)
    let begun: Begun | undefined
    try {
      const summary = await this.#builds.run(
        [view],
        (build) => {
          const state = { ...NOTHING_DONE, total: view.file.committed.events }
          const current = { state, cancel }
          begun = current
          this.#last.set(view.name, current)
          return rebuildView(view, build, (progress) => {
            const { done, total } = progress
            current.state = { ...current.state, done, total }
            onProgress(progress)
          })
        },
        stop,
      )
      if (begun !== undefined) begun.state = doneOf(begun.state, summary)
      return summary
    } catch (error) {
      if (begun !== undefined) begun.state = endedBy(error, begun.state, stop)
      throw error
    }
  }

  /** @returns whether one was running */
  cancel(name: string): boolean {
    const begun = this.#last.get(name)
    if (begun?.state.state !== 'running') return false
    begun.cancel.abort()
    return true
  }

  /** @throws {ServiceError} `conflict` when the view is being built already */
  try(view: LiveView, signal: AbortSignal | undefined): Promise<RebuildTrial> {
    return this.#builds.run([view], (build) => tryRebuild(view, build), signal)
  }
}

const NOTHING_DONE: RebuildState = {
  state: 'running',
  done: 0,
  total: 0,
  differences: null,
  error: null,
}

function doneOf(state: RebuildState, { events, differences }: RebuildSummary): RebuildState {
  return { ...state, state: 'done', done: events, total: events, differences }
}

function endedBy(error: unknown, state: RebuildState, stop: AbortSignal): RebuildState {
  if (stop.aborted) return { ...state, state: 'cancelled' }
  return { ...state, state: 'failed', error: error instanceof Error ? error.message : `${error}` }
}
