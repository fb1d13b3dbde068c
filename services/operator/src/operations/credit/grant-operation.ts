/** Credit for an account, whoever asks for it: people, programs, or payments from a topic. */
import type { Caller } from '@svc/contracts/admin/caller'
import type { OperationHandlers } from '@svc/contracts/admin/operations'
import type { Ledger } from '@svc/ledger/ledger'
import { shownMovement } from '../values/details.ts'
import { checkAccountId, readAmount } from '../values/input-values.ts'
import { readOptionalTime } from '../values/rfc3339-times.ts'

/** @returns the operation for input that was parsed by its declaration */
export function grantOperation(
  { administration }: Pick<Ledger, 'administration'>,
  { actor }: Pick<Caller, 'actor'>,
): OperationHandlers['grant'] {
  return async (input) => {
    const { grantId, created } = await administration.grant(input.account_id, termsOf(input, actor))
    return { grant_id: grantId, created }
  }
}

/** @returns the operation that only says what a grant would do */
export function previewGrantOperation(
  { administration }: Pick<Ledger, 'administration'>,
  { actor }: Pick<Caller, 'actor'>,
): OperationHandlers['previewGrant'] {
  return async (input) => {
    const movement = await administration.previewGrant(input.account_id, termsOf(input, actor))
    return shownMovement(movement, true)
  }
}

function termsOf(asked: Parameters<OperationHandlers['grant']>[0], actor: string) {
  const { account_id: accountId, amount, expires_at: expiresAt, ...input } = asked
  checkAccountId(accountId)
  const { idempotency_key: idempotencyKey, ...grant } = input
  return {
    ...grant,
    idempotencyKey,
    amount: readAmount(amount),
    expiresAt: readOptionalTime(expiresAt, 'expires_at'),
    actor,
  }
}
