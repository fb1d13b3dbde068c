/** Opens the index of which worker holds which prefix: shared in Redis, or this gateway's own. */
import type { PrefixIndex } from '@svc/contracts/prefix-index'
import { MemoryPrefixIndex } from '@svc/infra/prefix-store/memory/memory-prefix-index'
import type { Logger } from 'pino'
import type { Settings } from './settings.ts'

/** Does not wait for a Redis that is away: prompts then go to workers by load alone. */
export async function openPrefixIndex(settings: Settings, logger: Logger): Promise<PrefixIndex> {
  const { REDIS_URL: url, SVC_REDIS_PREFIX: keyPrefix } = settings
  if (url === undefined) return new MemoryPrefixIndex()
  // Loaded only here: a service without a Redis needs no client for one.
  const redis = await import('@svc/infra/prefix-store/redis/redis-prefix-index')
  return redis.openRedisPrefixIndex({
    url,
    keyPrefix,
    onProblem(problem) {
      if (problem === null) logger.info('the Redis of the prefix cache answers')
      else logger.warn({ problem }, 'the Redis of the prefix cache is not used: nothing but slower')
    },
  })
}
