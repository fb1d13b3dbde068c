/** Puts the prefix cache of a worker together, as far as its model and its settings allow. */
import type { CacheMode } from '@svc/contracts/worker/protocol'
import { MemoryPrefixStore } from '@svc/infra/prefix-store/memory/memory-prefix-store'
import { openRedisPrefixStore } from '@svc/infra/prefix-store/redis/redis-prefix-store'
import type { Engine } from '../engines/engine.ts'
import type { Log } from '../process/log.ts'
import { blockNames, noBlocks } from './block-names.ts'
import { CostModel } from './cost-model.ts'
import { PrefixCache } from './prefix-cache.ts'
import type { ReuseTest } from './self-test.ts'

export interface CacheSettings {
  readonly on: boolean
  /** Bytes of blocks in memory. */
  readonly bytes: number
  readonly secret: string | Uint8Array
  /** Null: blocks are shared with no other worker. */
  readonly redis: {
    readonly url: string
    readonly keyPrefix: string
    readonly blockTtlMs: number
    readonly tenantBytesMax: number
    readonly blockBytesMax: number
  } | null
}

export interface CacheOptions {
  readonly settings: CacheSettings
  readonly engine: Engine
  /** What was found out about the model. */
  readonly reuse: ReuseTest
  /** Blocks of workers with another fingerprint are never looked at. */
  readonly fingerprint: string
  readonly log: Log
  /** Milliseconds of a clock that only goes forward. */
  readonly nowMs: () => number
}

export interface OpenedCache {
  readonly cache: PrefixCache
  readonly mode: CacheMode
  /** Why Redis is not used at present; null when there is nothing to say. */
  readonly problem: () => string | null
  /** Whether answers can be put aside for others. */
  readonly putsAside: boolean
}

export function openPrefixCache(options: CacheOptions): OpenedCache {
  const { settings, engine, reuse: test, log, nowMs } = options
  if (!settings.on) return without(options, 'it was switched off')
  if (!test.works) {
    log('warn', 'prefix cache is off for this model', { reason: test.reason })
    return without(options, test.reason)
  }
  const unshared = whyUnshared(settings, test.tokenBytes * engine.schedule.blockTokens)
  let problem: string | null = null
  const l2 =
    unshared === null
      ? openShared(options, (found) => {
          problem = found
        })
      : null
  const cache = new PrefixCache({
    names: blockNames(settings.secret, options.fingerprint, engine.schedule),
    l1: new MemoryPrefixStore({ bytesMax: settings.bytes }),
    l2,
    cost: new CostModel(test.computeTokensPerMs),
    tokenBytes: test.tokenBytes,
    nowMs,
    onFailure: failureLog(log),
  })
  const { putsAside } = test
  if (!putsAside)
    log('warn', 'answers of this model cannot be put aside, requests wait for their end')
  if (unshared !== null && settings.redis !== null) log('warn', unshared)
  const schedule = engine.schedule.name
  const tiers = l2 === null ? (['l1'] as const) : (['l1', 'l2'] as const)
  const mode: CacheMode = { mode: 'on', schedule, reason: unshared, tiers: [...tiers] }
  return { cache, mode, problem: () => problem, putsAside }
}

/** @returns null when blocks are shared */
function whyUnshared({ redis }: CacheSettings, blockBytes: number): string | null {
  if (redis === null) return 'no REDIS_URL: blocks are not shared between workers'
  if (blockBytes <= redis.blockBytesMax) return null
  return (
    `blocks of ${blockBytes} bytes are not shared between workers: ` +
    `SVC_CACHE_BLOCK_BYTES allows ${redis.blockBytesMax}`
  )
}

function openShared(
  { settings, fingerprint, log }: CacheOptions,
  note: (problem: string | null) => void,
) {
  if (settings.redis === null) return null
  return openRedisPrefixStore({
    ...settings.redis,
    fingerprint,
    secret: settings.secret,
    onProblem(problem) {
      note(problem)
      if (problem === null) log('warn', 'Redis available again, prefix cache is shared')
      else log('warn', 'Redis unavailable, prefix cache is local only', { problem })
    },
  })
}

/** A cache that finds nothing and keeps nothing. */
function without({ engine, log, nowMs }: CacheOptions, reason: string) {
  const cache = new PrefixCache({
    names: noBlocks,
    l1: new MemoryPrefixStore({ bytesMax: 0 }),
    l2: null,
    cost: new CostModel(1),
    tokenBytes: 0,
    nowMs,
    onFailure: failureLog(log),
  })
  const schedule = engine.schedule.name
  const mode: CacheMode = { mode: 'off', schedule, reason, tiers: [] }
  return { cache, mode, problem: () => null, putsAside: false }
}

function failureLog(log: Log) {
  return (what: string, error: unknown) => log('error', what, { err: error })
}
