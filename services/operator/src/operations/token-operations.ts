/** Admin tokens: made, listed, ended. */
import type { Caller } from '@svc/contracts/admin/caller'
import type { OperationHandlers } from '@svc/contracts/admin/operations'
import type { AdminTokenDetails } from '@svc/contracts/admin/tokens'
import type { Clock } from '@svc/contracts/ports/time'
import type { AdminToken, AdminTokens } from '../access/admin-tokens.ts'
import { secretStatus } from './values/details.ts'
import { optionalTimeText, readOptionalTime, timeText } from './values/rfc3339-times.ts'

export interface TokenPorts {
  readonly adminTokens: AdminTokens
  readonly clock: Clock
}

export function tokenOperations(
  { adminTokens, clock }: TokenPorts,
  { actor }: Caller,
): Pick<OperationHandlers, 'createAdminToken' | 'listAdminTokens' | 'revokeAdminToken'> {
  return {
    async createAdminToken({ name, role, expires_at: expiry, idempotency_key: idempotencyKey }) {
      const expiresAt = readOptionalTime(expiry, 'expires_at')
      const token = { name, role, expiresAt, idempotencyKey, actor }
      const { tokenId, secret } = await adminTokens.create(token)
      return { token_id: tokenId, secret, created: secret !== null }
    },
    async listAdminTokens() {
      const nowMs = clock.nowMs()
      return (await adminTokens.list()).map((token) => tokenDetails(token, nowMs))
    },
    async revokeAdminToken({ token_id: tokenId, reason }) {
      const { revokedAt, alreadyRevoked } = await adminTokens.revoke(tokenId, reason, actor)
      return {
        token_id: tokenId,
        revoked_at: timeText(revokedAt),
        already_revoked: alreadyRevoked,
      }
    },
  }
}

function tokenDetails(token: AdminToken, nowMs: number): AdminTokenDetails {
  return {
    token_id: token.tokenId,
    name: token.name,
    role: token.role,
    last_four: token.lastFour,
    status: secretStatus(token, nowMs),
    created_at: timeText(token.createdAt),
    created_by: token.createdBy,
    expires_at: optionalTimeText(token.expiresAt),
    revoked_at: optionalTimeText(token.revokedAt),
  }
}
