/**
 * The resources that a start has opened so far. A start that fails and a server that stops close
 * them in the same way: the last one first, each tried whatever happened to the one before.
 */
import type { Logger } from 'pino'

export class OpenResources {
  readonly #logger: Logger
  readonly #closings: (() => unknown)[] = []
  #clean = true

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** @param close called once; `false`, or a promise of it, says that it was not closed whole */
  add(close: () => unknown): void {
    this.#closings.push(close)
  }

  /** @returns whether everything was closed whole */
  async close(): Promise<boolean> {
    for (let close = this.#closings.pop(); close !== undefined; close = this.#closings.pop()) {
      try {
        if ((await close()) === false) this.#clean = false
      } catch (error) {
        this.#clean = false
        this.#logger.error({ err: error }, 'failed to close a part of the server')
      }
    }
    return this.#clean
  }
}
