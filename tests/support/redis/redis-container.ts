/** For tests: a Redis in a container. */
import { TestContainer } from '../containers/test-container.ts'
import type { RedisRun } from './redis-server.ts'

export class RedisContainer implements RedisRun {
  readonly pid = undefined
  readonly #container: TestContainer

  constructor(image: string, words: readonly string[]) {
    this.#container = new TestContainer({ image, command: ['redis-server', ...words] })
  }

  start(): Promise<void> {
    return this.#container.start()
  }

  async hasEnded(): Promise<boolean> {
    return !(await this.#container.isRunning())
  }

  freeze(): Promise<void> {
    return this.#container.freeze()
  }

  thaw(): Promise<void> {
    return this.#container.thaw()
  }

  kill(): Promise<void> {
    return this.#container.kill()
  }

  remove(): Promise<void> {
    return this.#container.remove()
  }
}
