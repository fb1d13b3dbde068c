/** One limit of rate-limiter-flexible, whatever it counts in. */
import type { RateLimit, RateUse } from '@svc/contracts/ports/rate-limits'
import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'

export class CountedRateLimit implements RateLimit {
  readonly limit: number
  readonly #limiter: RateLimiterAbstract

  constructor(limiter: RateLimiterAbstract) {
    this.limit = limiter.points
    this.#limiter = limiter
  }

  async take(name: string): Promise<RateUse> {
    try {
      return useOf(await this.#limiter.consume(name), true)
    } catch (cause) {
      // A limit that cannot be counted refuses nobody.
      return cause instanceof RateLimiterRes ? useOf(cause, false) : this.#unused()
    }
  }

  async look(name: string): Promise<RateUse> {
    const counted = await this.#limiter.get(name).catch(() => null)
    return counted === null ? this.#unused() : useOf(counted, counted.remainingPoints > 0)
  }

  #unused(): RateUse {
    return { allowed: true, remaining: this.limit, resetMs: 0 }
  }
}

function useOf({ remainingPoints, msBeforeNext }: RateLimiterRes, allowed: boolean): RateUse {
  return { allowed, remaining: Math.max(0, remainingPoints), resetMs: Math.max(0, msBeforeNext) }
}
