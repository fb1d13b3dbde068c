/**
 * Rates counted in a Redis that several gateways share. While it is away each of them counts for
 * itself: a limit is then as many times as wide as there are gateways, and nobody is refused or
 * kept waiting because of it. The same where our user lacks a right for counting.
 */
import type { RateLimit, RateLimits } from '@svc/contracts/ports/rate-limits'
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible'
import { openRedisClient } from '../prefix-store/redis/redis-connection.ts'
import { isErrorReply, replyOf } from '../prefix-store/redis/redis-reply.ts'
import { CountedRateLimit } from './counted-rate-limit.ts'

export interface RedisRateLimitsOptions {
  readonly url: string
  /** What the names of all keys begin with, such as `svc.`. */
  readonly keyPrefix: string
  /** Is called at each connection as a user that may not count: nothing else would tell of it. */
  readonly onForbidden?: () => void
}

/** The digest of no script: a user with the right is answered that there is none. */
const NO_SCRIPT = '0'.repeat(40)
const FORBIDDEN = new Set(['NOPERM', 'EXECABORT'])

export class RedisRateLimits implements RateLimits {
  readonly #redis: ReturnType<typeof openRedisClient>
  readonly #keyPrefix: string

  /** Begins to connect, and does not wait for it. @throws {StoreOpenError} for a bad address */
  constructor({ url, keyPrefix, onForbidden = () => {} }: RedisRateLimitsOptions) {
    // Nobody is told what is wrong with the server here, because the prefix index says it already.
    this.#redis = openRedisClient(url)
    this.#keyPrefix = keyPrefix
    this.#redis.on('ready', async () => {
      if (await this.#isForbidden()) onForbidden()
    })
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

  /** Sends what a count and a look at it send, and changes nothing. */
  async #isForbidden(): Promise<boolean> {
    const name = `${this.#keyPrefix}rate`
    const replies = await Promise.allSettled([
      this.#redis.evalsha(NO_SCRIPT, 1, name),
      this.#redis.pttl(name),
      this.#redis.multi().get(name).exec(),
    ])
    return replies.some((each) => each.status === 'rejected' && isForbidden(each.reason))
  }
}

/** A transaction is refused by the code of its end, or by that of a command before. */
function isForbidden(error: Error & { readonly previousErrors?: readonly Error[] }): boolean {
  return [error, ...(error.previousErrors ?? [])].some((each) => {
    const reply = replyOf(each, null)
    return isErrorReply(reply) && FORBIDDEN.has(reply.code)
  })
}
