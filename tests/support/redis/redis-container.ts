/** For tests: a Redis in a container. */
import { TestContainer } from '../containers/test-container.ts'
import type { RedisRun } from './redis-server.ts'

export class RedisContainer extends TestContainer implements RedisRun {
  readonly pid = undefined

  constructor(image: string, words: readonly string[]) {
    super({ image, command: ['redis-server', ...words] })
  }
}
