/** PORT: limits how often something may happen, by name: a key, an account, an address. */
import { ServiceError } from '../errors.ts'

/** Clients obey any Retry-After, so it is bounded. */
const RETRY_SECONDS_MAX = 60
const SECOND_MS = 1_000

export interface RateUse {
  /** Whether this use is within the limit; of {@link RateLimit.look}: whether one more would be. */
  readonly allowed: boolean
  readonly remaining: number
  /** Milliseconds until the whole limit can be used again. */
  readonly resetMs: number
}

export interface RateLimit {
  readonly limit: number
  /** Counts one use under a name. Never rejects. */
  take(name: string): Promise<RateUse>
  /** Reads the count of a name, without a use. Never rejects. */
  look(name: string): Promise<RateUse>
}

export interface RateLimits {
  /**
   * Opens one limit, with a count for each name.
   *
   * @param kind what is counted, the same in every process that shares the counts
   * @param limit the most uses in each window, at least 1
   */
  open(kind: string, limit: number, windowSeconds: number): RateLimit
  close(): Promise<void>
}

/** The error for a request that is over a limit. @param message for the caller */
export function limitExceeded(
  message: string,
  { limit }: Pick<RateLimit, 'limit'>,
  { resetMs }: RateUse,
): ServiceError {
  const seconds = Math.min(RETRY_SECONDS_MAX, Math.max(1, Math.ceil(resetMs / SECOND_MS)))
  return new ServiceError('rate_limit_exceeded', message, {
    retryAfterSeconds: seconds,
    rate: { limit, remaining: 0, resetSeconds: seconds },
  })
}
