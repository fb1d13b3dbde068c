/**
 * A walk over the keys of a Redis that goes on where it stopped the last time. The server keeps
 * them in an order of its own that has nothing to do with ours, so any stretch of it is a sample.
 */
import type { RedisConnection } from './redis-connection.ts'

/** How often a scan goes on at most: among keys of others, a stretch may hold none of ours. */
const ROUNDS_MAX = 10
const KEYS_PER_ROUND_MIN = 64
const KEYS_PER_ROUND_MAX = 1_000
const START = '0'

export class KeyScan {
  readonly #connection: RedisConnection
  readonly #pattern: string
  #cursor = START

  constructor(connection: RedisConnection, pattern: string) {
    this.#connection = connection
    this.#pattern = pattern
  }

  /** @returns about `count` keys, or all; undefined when the call failed */
  async next(count: number): Promise<readonly string[] | undefined> {
    const perRound = Math.min(Math.max(count, KEYS_PER_ROUND_MIN), KEYS_PER_ROUND_MAX)
    const keys = new Set<string>()
    // A walk that began at the start is over at its first end, another one at its second.
    let endsLeft = this.#cursor === START ? 1 : 2
    for (let round = 0; round < ROUNDS_MAX && endsLeft > 0 && keys.size < count; round += 1) {
      const found = await this.#round(perRound)
      if (found === undefined) return undefined
      for (const key of found) keys.add(key)
      if (this.#cursor === START) endsLeft -= 1
    }
    return [...keys]
  }

  async #round(count: number): Promise<readonly string[] | undefined> {
    const outcome = await this.#connection.call([
      ['SCAN', this.#cursor, 'MATCH', this.#pattern, 'COUNT', count],
    ])
    const reply = outcome.kind === 'answered' ? outcome.replies[0] : undefined
    const [cursor, keys] = Array.isArray(reply) ? reply : []
    if (!Buffer.isBuffer(cursor) || !Array.isArray(keys)) return undefined
    this.#cursor = cursor.toString()
    return keys.filter((key) => Buffer.isBuffer(key)).map((key) => key.toString())
  }
}
