/** Credit for an account, whoever asks for it: people, programs, or payments from a topic. */
import type { Caller } from '@svc/contracts/admin/caller'
import type { OperationHandlers } from '@svc/contracts/admin/operations'
import type { Ledger } from '@svc/ledger/ledger'
import { checkAccountId, readAmount } from '../values/input-values.ts'
import { readOptionalTime } from '../values/rfc3339-times.ts'

/** @returns the operation for input that was parsed by its declaration */
export function grantOperation(
  { administration }: Pick<Ledger, 'administration'>,
  { actor }: Pick<Caller, 'actor'>,
): OperationHandlers['grant'] {
  return async ({ account_id: accountId, amount, expires_at: expiresAt, ...input }) => {
    checkAccountId(accountId)
    const { idempotency_key: idempotencyKey, ...grant } = input
    const { grantId, created } = await administration.grant(accountId, {
      ...grant,
      idempotencyKey,
      amount: readAmount(amount),
      expiresAt: readOptionalTime(expiresAt, 'expires_at'),
      actor,
    })
    return { grant_id: grantId, created }
  }
}
