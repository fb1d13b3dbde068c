/** API keys. */
import type { Caller } from '@svc/contracts/admin/caller'
import type { OperationHandlers } from '@svc/contracts/admin/operations'
import { keyIdOfExternal } from '@svc/contracts/ids'
import type { KeySummary } from '@svc/ledger/ledger'
import type { KeyUsage } from '@svc/projections/views'
import { type OperationPorts, viewsCurrent } from './ports.ts'
import { keyDetails } from './values/details.ts'
import { checkAccountId } from './values/input-values.ts'
import { readOptionalTime, timeText } from './values/rfc3339-times.ts'

export function keyOperations(
  ports: OperationPorts,
  { actor }: Caller,
): Pick<OperationHandlers, 'createKey' | 'listKeys' | 'revokeKey'> {
  const { ledger, clock } = ports
  return {
    async createKey({ account_id: accountId, name, metadata, ...input }) {
      checkAccountId(accountId)
      const { keyId, secret, created } = await ledger.administration.createKey(accountId, {
        name,
        expiresAt: readOptionalTime(input.expires_at, 'expires_at'),
        externalId: input.external_id,
        metadata,
        idempotencyKey: input.idempotency_key,
        actor,
      })
      return { key_id: keyId, secret, created }
    },
    async listKeys({ account_id: accountId, external_id: externalId }) {
      checkAccountId(accountId)
      const { keys } = await ledger.account(accountId)
      const useOf = await usesOfKeys(ports, accountId)
      const nowMs = clock.nowMs()
      const asked = externalId === undefined ? undefined : keyIdOfExternal(accountId, externalId)
      const isAsked = ({ keyId }: KeySummary) => asked === undefined || keyId === asked
      return keys.filter(isAsked).map((key) => keyDetails(key, useOf(key.keyId), nowMs))
    },
    async revokeKey({ account_id: accountId, key_id: keyId, reason }) {
      checkAccountId(accountId)
      const revoked = await ledger.administration.revokeKey(accountId, { keyId, reason, actor })
      const { revokedAt, alreadyRevoked } = revoked
      return {
        key_id: keyId,
        revoked_at: timeText(revokedAt),
        already_revoked: alreadyRevoked,
      }
    },
  }
}

/** Finds what each key of an account was used for, by its id. */
export async function usesOfKeys(
  ports: OperationPorts,
  accountId: string,
): Promise<(keyId: string) => KeyUsage | undefined> {
  await viewsCurrent(ports, 'usage')
  const uses = new Map(ports.projections.views.keys(accountId).map((use) => [use.keyId, use]))
  return (keyId) => uses.get(keyId)
}
