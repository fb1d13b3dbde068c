/** Decides about the API keys of an account. */
import type {
  CreateApiKey,
  RenameApiKey,
  RevokeApiKey,
  SetApiKeyExpiry,
} from '@svc/contracts/commands'
import { contentOfText } from '@svc/contracts/kept-text'
import { refuseName } from './changes.ts'
import { contentOfKey, isSameContent } from './content.ts'
import { type Decision, happens, nothingToDo, refused } from './decision.ts'
import { ACTIVE_KEYS_MAX, type AccountState, isActive } from './state.ts'

/** Creates one key for an id: a repetition finds the key made, and gets no secret. */
export function decideCreateKey(state: AccountState, command: CreateApiKey): Decision {
  const { keyId, name, secretHash, lastFour, expiresAt, externalId, metadata, at } = command
  const known = state.keys.get(keyId)
  if (known !== undefined) {
    return isSameContent(known.content, contentOfKey(command))
      ? nothingToDo
      : refused('conflict', `This key was created before, with other content: ${keyId}.`)
  }
  const refusal = refuseName('a key', name)
  if (refusal !== undefined) return refusal
  if (expiresAt !== null && expiresAt <= at) {
    return refused('invalid_value', 'The key would have expired already.', { param: 'expires_at' })
  }
  if (activeKeys(state, at) >= ACTIVE_KEYS_MAX) {
    const message = `The account has ${ACTIVE_KEYS_MAX} active keys, the most there can be: revoke one first.`
    return refused('conflict', message)
  }
  return happens({
    type: 'ApiKeyCreated',
    data: { keyId, name, secretHash, lastFour, expiresAt, externalId, metadata, at },
  })
}

function activeKeys(state: AccountState, at: number): number {
  let active = 0
  for (const key of state.keys.values()) if (isActive(key, at)) active += 1
  return active
}

export function decideRenameKey(state: AccountState, command: RenameApiKey): Decision {
  const { keyId, name, changeId, reason, at } = command
  const key = state.keys.get(keyId)
  if (key === undefined) return noSuchKey()
  if (contentOfText(name) === contentOfText(key.name)) return nothingToDo
  return (
    refuseName('a key', name) ??
    happens({ type: 'ApiKeyRenamed', data: { changeId, reason, keyId, name, at } })
  )
}

/** A key never lives longer than was said before: who was told that it ends can rely on it. */
export function decideKeyExpiry(state: AccountState, command: SetApiKeyExpiry): Decision {
  const { keyId, expiresAt, changeId, reason, at } = command
  const key = state.keys.get(keyId)
  if (key === undefined) return noSuchKey()
  if (!isActive(key, at)) return refused('conflict', 'The key has ended.')
  if (expiresAt <= at) {
    return refused('invalid_value', 'The key would have expired already.', { param: 'expires_at' })
  }
  if (key.expiresAt !== null && key.expiresAt <= expiresAt) return nothingToDo
  return happens({ type: 'ApiKeyExpirySet', data: { changeId, reason, keyId, expiresAt, at } })
}

export function decideRevokeKey(state: AccountState, command: RevokeApiKey): Decision {
  const { keyId, reason, at } = command
  const key = state.keys.get(keyId)
  if (key === undefined) return noSuchKey()
  if (key.revokedAt !== null) return nothingToDo
  return happens({ type: 'ApiKeyRevoked', data: { keyId, reason, at } })
}

function noSuchKey(): Decision {
  return refused('not_found', 'The account has no such key.', { param: 'key_id' })
}
