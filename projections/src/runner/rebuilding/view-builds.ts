/** What is built beside the live views: one build of a view at a time, all ended by a close. */
import { ServiceError } from '@svc/contracts/errors'
import type { LiveView } from '../live-view.ts'
import type { RebuildPorts } from './rebuild.ts'

export class ViewBuilds {
  readonly #ports: Omit<RebuildPorts, 'signal'>
  readonly #closing = new AbortController()
  /** Names of views that are being built. */
  readonly #taken = new Set<string>()
  readonly #running = new Set<Promise<unknown>>()

  constructor(ports: Omit<RebuildPorts, 'signal'>) {
    this.#ports = ports
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted
  }

  /**
   * @param work may call `free` with a view that it has built, before it has done with all
   * @throws {ServiceError} `conflict` when one of the views is being built already
   */
  async run<Result>(
    views: readonly LiveView[],
    work: (build: RebuildPorts, free: (view: LiveView) => void) => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    const taken = views.find(({ name }) => this.#taken.has(name))
    if (taken !== undefined) {
      throw new ServiceError('conflict', `The view "${taken.name}" is being rebuilt already.`)
    }
    const own = new Set(views.map(({ name }) => name))
    const free = ({ name }: Pick<LiveView, 'name'>): void => {
      if (own.delete(name)) this.#taken.delete(name)
    }
    for (const name of own) this.#taken.add(name)
    const either = [this.#closing.signal, ...(signal === undefined ? [] : [signal])]
    const running = work({ ...this.#ports, signal: AbortSignal.any(either) }, free)
    this.#running.add(running)
    try {
      return await running
    } finally {
      this.#running.delete(running)
      for (const view of views) free(view)
    }
  }

  /** Cancels what runs, and waits until it has ended. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.allSettled(this.#running)
  }
}
