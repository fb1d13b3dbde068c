/** Opens what rates are counted in: this process, or a Redis that several gateways share. */
import type { RateLimits } from '@svc/contracts/ports/rate-limits'
import { MemoryRateLimits } from '@svc/infra/rate-limits/memory-rate-limits'
import type { Logger } from 'pino'
import type { Settings } from '../settings/settings.ts'

/** Does not wait for a Redis that is away: until it answers, this process counts alone. */
export async function openRateLimits(settings: Settings, logger: Logger): Promise<RateLimits> {
  const { REDIS_URL: url, SVC_REDIS_PREFIX: keyPrefix } = settings
  if (url === undefined) return new MemoryRateLimits()
  // It is loaded only here, because a service without a Redis needs no client for one.
  const { RedisRateLimits } = await import('@svc/infra/rate-limits/redis-rate-limits')
  const onForbidden = () => logger.warn("Redis forbids to count rates: they are this gateway's own")
  return new RedisRateLimits({ url, keyPrefix, onForbidden })
}
