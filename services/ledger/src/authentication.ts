/**
 * Finds the key that a secret belongs to. The secret names its account, and the request needs that
 * account anyway, so no index of keys is needed. Every failure looks alike, so that nobody learns
 * which accounts or keys exist.
 */
import { timingSafeEqual } from 'node:crypto'
import { ServiceError } from '@svc/contracts/errors'
import { type AccountState, type ApiKey, isActive } from './account/state.ts'
import type { Caller } from './ledger.ts'

/** Stands in for the hash when there is no key, so that a miss takes as long as a hit. */
const NO_HASH = '0'.repeat(64)

/** @returns the caller, or `undefined` when the account has no such key that may be used now */
export function callerOf(state: AccountState, secretHash: string, at: number): Caller | undefined {
  let found: ApiKey | undefined
  for (const key of state.keys.values()) if (key.secretHash === secretHash) found = key
  const isSame = timingSafeEqual(Buffer.from(found?.secretHash ?? NO_HASH), Buffer.from(secretHash))
  if (found === undefined || !isSame || state.accountId === null || !isActive(found, at)) {
    return undefined
  }
  return { accountId: state.accountId, keyId: found.keyId }
}

export function invalidKey(): ServiceError {
  return new ServiceError('invalid_api_key', 'The API key is not valid.')
}
