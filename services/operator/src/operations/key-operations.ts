/** API keys. */
import type { Caller } from '@svc/contracts/admin/caller'
import type { Operations } from '@svc/contracts/admin/operations'
import type { OperationPorts } from './ports.ts'
import { keyDetails } from './values/details.ts'
import { checkAccountId } from './values/input-values.ts'
import { readOptionalTime, timeText } from './values/rfc3339-times.ts'

export function keyOperations(
  { ledger, clock }: OperationPorts,
  { actor }: Caller,
): Pick<Operations, 'createKey' | 'listKeys' | 'revokeKey'> {
  return {
    async createKey({ account_id: accountId, name, expires_at: expiresAt }) {
      checkAccountId(accountId)
      const expiry = readOptionalTime(expiresAt, 'expires_at')
      const { keyId, secret } = await ledger.createKey(accountId, {
        name,
        ...(expiry === null ? {} : { expiresAt: expiry }),
        actor,
      })
      return { key_id: keyId, secret }
    },
    async listKeys({ account_id: accountId }) {
      checkAccountId(accountId)
      const { keys } = await ledger.account(accountId)
      const nowMs = clock.nowMs()
      return keys.map((key) => keyDetails(key, nowMs))
    },
    async revokeKey({ account_id: accountId, key_id: keyId, reason }) {
      checkAccountId(accountId)
      const revoked = await ledger.revokeKey(accountId, keyId, reason, actor)
      const { revokedAt, alreadyRevoked } = revoked
      return {
        key_id: keyId,
        revoked_at: timeText(revokedAt),
        already_revoked: alreadyRevoked,
      }
    },
  }
}
