/** Rates counted in this process alone. */
import type { RateLimit, RateLimits } from '@svc/contracts/ports/rate-limits'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { CountedRateLimit } from './counted-rate-limit.ts'

export class MemoryRateLimits implements RateLimits {
  open(kind: string, limit: number, windowSeconds: number): RateLimit {
    const options = { keyPrefix: kind, points: limit, duration: windowSeconds }
    return new CountedRateLimit(new RateLimiterMemory(options))
  }

  async close(): Promise<void> {}
}
