/** Limits how often something may happen, by name: a key, an account, an address. */
import { ServiceError } from '../errors.ts'

/** Clients obey any Retry-After, so it is bounded. */
const RETRY_SECONDS_MAX = 60
const MS = 1_000

export interface RateUse {
  /** Whether it was within the limit; for a look: whether one more would be. */
  readonly allowed: boolean
  readonly remaining: number
  /** Milliseconds until all of it may be used again. */
  readonly resetMs: number
}

export interface RateLimit {
  readonly limit: number
  /** Counts one more of this name. Never rejects. */
  take(name: string): Promise<RateUse>
  /** Tells how the limit stands, without counting. Never rejects. */
  look(name: string): Promise<RateUse>
}

export interface RateLimits {
  /**
   * @param kind what is counted, the same in every process that shares the counts
   * @param limit how often in each window, at least 1
   */
  open(kind: string, limit: number, windowSeconds: number): RateLimit
  close(): Promise<void>
}

/** The refusal of what is beyond a limit. @param message for the caller */
export function limitExceeded(
  message: string,
  { limit }: Pick<RateLimit, 'limit'>,
  { resetMs }: RateUse,
): ServiceError {
  const seconds = Math.min(RETRY_SECONDS_MAX, Math.max(1, Math.ceil(resetMs / MS)))
  return new ServiceError('rate_limit_exceeded', message, {
    retryAfterSeconds: seconds,
    rate: { limit, remaining: 0, resetSeconds: seconds },
  })
}
