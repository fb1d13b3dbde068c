/**
 * Rates counted in a Redis that several gateways share. While it is away each of them counts for
 * itself: a limit is then as many times as wide as there are gateways, and nobody is refused or
 * kept waiting because of it.
 */
import type { RateLimit, RateLimits } from '@svc/contracts/ports/rate-limits'
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible'
import { openRedisClient } from '../prefix-store/redis/redis-connection.ts'
import { CountedRateLimit } from './counted-rate-limit.ts'

export interface RedisRateLimitsOptions {
  readonly url: string
  /** What the names of all keys begin with, such as `svc.`. */
  readonly keyPrefix: string
}

export class RedisRateLimits implements RateLimits {
  readonly #redis: ReturnType<typeof openRedisClient>
  readonly #keyPrefix: string

  /** Begins to connect, and does not wait for it. @throws {StoreOpenError} for a bad address */
  constructor({ url, keyPrefix }: RedisRateLimitsOptions) {
    // Nobody is told what is wrong with the server here, because the prefix index says it already.
    this.#redis = openRedisClient(url)
    this.#keyPrefix = keyPrefix
  }

  open(kind: string, limit: number, windowSeconds: number): RateLimit {
    const options = { points: limit, duration: windowSeconds }
    const limiter = new RateLimiterRedis({
      ...options,
      storeClient: this.#redis,
      keyPrefix: `${this.#keyPrefix}rate.${kind}`,
      rejectIfRedisNotReady: true,
      insuranceLimiter: new RateLimiterMemory({ ...options, keyPrefix: kind }),
    })
    return new CountedRateLimit(limiter)
  }

  async close(): Promise<void> {
    this.#redis.disconnect()
  }
}
