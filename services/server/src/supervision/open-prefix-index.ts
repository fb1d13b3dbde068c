/** Opens the index of which worker holds which prefix: this gateway's own, and one in Redis. */
import type { PrefixIndex } from '@svc/contracts/ports/prefix-index'
import { FallbackPrefixIndex } from '@svc/infra/prefix-store/fallback-prefix-index'
import { MemoryPrefixIndex } from '@svc/infra/prefix-store/memory/memory-prefix-index'
import type { Logger } from 'pino'
import type { Settings } from '../settings/settings.ts'

/** Does not wait for a Redis that is away: prompts go where this gateway sent them before. */
export async function openPrefixIndex(settings: Settings, logger: Logger): Promise<PrefixIndex> {
  const { REDIS_URL: url, SVC_REDIS_PREFIX: keyPrefix } = settings
  const local = new MemoryPrefixIndex()
  if (url === undefined) return local
  // It is loaded only here, because a service without a Redis needs no client for one.
  const redis = await import('@svc/infra/prefix-store/redis/redis-prefix-index')
  const shared = redis.openRedisPrefixIndex({
    url,
    keyPrefix,
    onProblem(problem) {
      if (problem === null) logger.warn('Redis answers: the prefix index is shared again')
      else logger.warn({ problem }, "Redis unavailable: the prefix index is this server's own")
    },
  })
  return new FallbackPrefixIndex({ shared, local })
}
