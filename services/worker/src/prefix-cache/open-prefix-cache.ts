/** Puts the prefix cache of a worker together, as far as its model and its settings allow. */
import { pause } from '@svc/contracts/ports/time'
import type { CacheMode } from '@svc/contracts/worker/protocol'
import { MemoryPrefixStore } from '@svc/infra/prefix-store/memory/memory-prefix-store'
import { openRedisPrefixStore } from '@svc/infra/prefix-store/redis/redis-prefix-store'
import { systemTimer } from '@svc/infra/system/system-timer'
import type { Engine } from '../engines/engine.ts'
import type { Log } from '../process/log.ts'
import { blockNames, noBlocks } from './block-names.ts'
import { CostModel } from './cost-model.ts'
import { PrefixCache } from './prefix-cache.ts'
import { type SelfTest, testReuse } from './self-test.ts'

const SIGN_MS = 15_000
/** Then it counts as hung: after ten minutes. */
const SIGNS_MAX = 40

export interface CacheSettings {
  readonly on: boolean
  /** Of blocks in memory. */
  readonly bytes: number
  readonly secret: string | Uint8Array
  /** Null: blocks are shared with no other worker. */
  readonly redis: {
    readonly url: string
    readonly keyPrefix: string
    readonly blockTtlMs: number
    readonly tenantBytesMax: number
  } | null
}

export interface CacheOptions {
  readonly settings: CacheSettings
  readonly engine: Engine
  /** Blocks of workers with another fingerprint are never looked at. */
  readonly fingerprint: string
  readonly log: Log
  /** Milliseconds of a clock that only goes forward. */
  readonly nowMs: () => number
}

export interface OpenedCache {
  readonly cache: PrefixCache
  readonly mode: CacheMode
  /** Whether answers can be put aside for others. */
  readonly putsAside: boolean
}

export async function openPrefixCache(options: CacheOptions): Promise<OpenedCache> {
  const { settings, engine, log, nowMs } = options
  if (!settings.on) return without(options, 'it was switched off')
  const test = await testWithSigns(engine, nowMs, log)
  if (!test.works) {
    log('warn', 'prefix cache is off for this model', { reason: test.reason })
    return without(options, test.reason)
  }
  const l2 = openShared(options)
  const cache = new PrefixCache({
    names: blockNames(settings.secret, options.fingerprint),
    l1: new MemoryPrefixStore({ bytesMax: settings.bytes }),
    l2,
    cost: new CostModel(test.computeTokensPerMs),
    blockBytes: test.blockBytes,
    nowMs,
    onFailure: failureLog(log),
  })
  const { putsAside } = test
  if (!putsAside)
    log('warn', 'answers of this model cannot be put aside, requests wait for their end')
  const reason = l2 === null ? 'no REDIS_URL: blocks are not shared between workers' : null
  const mode: CacheMode = { mode: 'on', reason, tiers: l2 === null ? ['l1'] : ['l1', 'l2'] }
  return { cache, mode, putsAside }
}

/** A large model takes minutes for its test: who waits for the worker must see that it lives. */
async function testWithSigns(engine: Engine, nowMs: () => number, log: Log): Promise<SelfTest> {
  const tested = new AbortController()
  void giveSigns(log, tested.signal)
  try {
    return await testReuse(engine, nowMs)
  } finally {
    tested.abort()
  }
}

async function giveSigns(log: Log, until: AbortSignal): Promise<void> {
  for (let signs = 1; signs <= SIGNS_MAX; signs += 1) {
    await pause(systemTimer, SIGN_MS, until)
    if (until.aborted) return
    log('info', 'testing the prefix cache', { signs })
  }
}

function openShared({ settings, fingerprint, log }: CacheOptions) {
  if (settings.redis === null) return null
  return openRedisPrefixStore({
    ...settings.redis,
    fingerprint,
    secret: settings.secret,
    onProblem(problem) {
      if (problem === null) log('info', 'Redis available again, prefix cache is shared')
      else log('warn', 'Redis unavailable, prefix cache is local only', { problem })
    },
  })
}

/** A cache that finds nothing and keeps nothing. */
function without({ log, nowMs }: CacheOptions, reason: string) {
  const cache = new PrefixCache({
    names: noBlocks,
    l1: new MemoryPrefixStore({ bytesMax: 0 }),
    l2: null,
    cost: new CostModel(1),
    blockBytes: 0,
    nowMs,
    onFailure: failureLog(log),
  })
  const mode: CacheMode = { mode: 'off', reason, tiers: [] }
  return { cache, mode, putsAside: false }
}

function failureLog(log: Log) {
  return (what: string, error: unknown) => log('error', what, { err: error })
}
