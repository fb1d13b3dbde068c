/** For tests: stores and indexes on a real Redis, each with keys of its own. */
import { randomUUID } from 'node:crypto'
import type { PrefixIndex } from '@svc/contracts/ports/prefix-index'
import type { PrefixStore } from '@svc/contracts/ports/prefix-store'
import { until } from '@svc/testing/until'
import { openRedisPrefixIndex, type RedisPrefixIndexOptions } from '../redis/redis-prefix-index.ts'
import { openRedisPrefixStore, type RedisPrefixStoreOptions } from '../redis/redis-prefix-store.ts'
import { newName } from './chains.ts'

/** For tests of no time limit: a busy machine keeps the server waiting for longer than 250 ms. */
export const UNHURRIED = { callWithinMs: 30_000 }

export function newKeyPrefix(): string {
  return `test-${randomUUID()}.`
}

/** Opens a store, which is not connected yet. */
export function redisStore(
  url: string,
  options: Partial<RedisPrefixStoreOptions> = {},
): PrefixStore {
  return openRedisPrefixStore({
    url,
    keyPrefix: newKeyPrefix(),
    fingerprint: 'a model on a build',
    secret: 'a secret that is long enough',
    onProblem: () => {},
    ...options,
  })
}

export async function connectedStore(
  url: string,
  options: Partial<RedisPrefixStoreOptions> = {},
): Promise<PrefixStore> {
  const store = redisStore(url, options)
  await storeAnswers(store)
  return store
}

export async function connectedIndex(
  url: string,
  options: Partial<RedisPrefixIndexOptions> = {},
): Promise<PrefixIndex> {
  const index = openRedisPrefixIndex({
    url,
    keyPrefix: newKeyPrefix(),
    onProblem: () => {},
    ...options,
  })
  await until(() => succeeds(() => index.find([newName()]), index))
  return index
}

export function storeAnswers(store: PrefixStore): Promise<void> {
  return until(() => {
    return succeeds(() => store.has([newName()]), {
      get failures() {
        return store.usage().failures
      },
    })
  })
}

async function succeeds(
  call: () => Promise<unknown>,
  counter: { readonly failures: number },
): Promise<boolean> {
  const before = counter.failures
  await call()
  return counter.failures === before
}
