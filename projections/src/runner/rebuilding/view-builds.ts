/** What is built beside the live views: one build of a view at a time, all ended by a close. */
import { ServiceError } from '@svc/contracts/errors'
import type { LiveView } from '../live-view.ts'
import type { BuildPorts } from './rebuild.ts'

export class ViewBuilds {
  readonly #ports: Omit<BuildPorts, 'signal'>
  readonly #closing = new AbortController()
  /** By the name of the view. */
  readonly #running = new Map<string, Promise<unknown>>()

  constructor(ports: Omit<BuildPorts, 'signal'>) {
    this.#ports = ports
  }

  /** @throws {ServiceError} `conflict` when one of the views is being built already */
  async run<Result>(
    views: readonly LiveView[],
    work: (build: BuildPorts) => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    const taken = views.find(({ name }) => this.#running.has(name))
    if (taken !== undefined) {
      throw new ServiceError('conflict', `the view "${taken.name}" is being rebuilt already`)
    }
    const either = [this.#closing.signal, ...(signal === undefined ? [] : [signal])]
    const running = work({ ...this.#ports, signal: AbortSignal.any(either) })
    for (const { name } of views) this.#running.set(name, running)
    try {
      return await running
    } finally {
      for (const { name } of views) this.#running.delete(name)
    }
  }

  /** Cancels what runs, and waits until it has ended. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.allSettled(this.#running.values())
  }
}
