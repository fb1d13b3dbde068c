/**
 * A grant is voided: all of it is taken back, what is left of it first, then other credit, and what
 * none covers becomes a debt.
 */
import type { VoidGrant } from '@svc/contracts/commands'
import type { AccountEventOf } from '@svc/contracts/events/account'
import { burnDown } from '../burn-down.ts'
import { fundsAfterExpiry, refuseTexts } from '../credit.ts'
import { type Decision, happens, refused } from '../decision.ts'
import { moveBalance, moveDebt, takeFromGrants } from '../funds.ts'
import type { AccountState, Grant } from '../state.ts'

export function decideVoid(state: AccountState, command: VoidGrant): Decision {
  const { grantId, changeId, reason, reference, at } = command
  const grant = state.grants.get(grantId)
  if (grant === undefined) {
    return refused('not_found', 'The account has no such grant.', { param: 'grant_id' })
  }
  const refusal = refuseVoid(grant, at) ?? refuseTexts(command)
  if (refusal !== undefined) return refusal
  const { expired, credit, balance } = fundsAfterExpiry(state, at)
  const amount = grant.amount - grant.expired
  const ownFirst = [grant, ...credit.filter((other) => other.grantId !== grantId)]
  const { slices, debt } = burnDown(ownFirst, amount)
  return happens(...expired, {
    type: 'GrantVoided',
    data: {
      changeId,
      reason,
      grantId,
      amount,
      slices: [...slices],
      debt,
      reference,
      balanceAfter: balance - amount,
      at,
    },
  })
}

function refuseVoid({ expiresAt, voidedAt }: Grant, at: number): Decision | undefined {
  if (voidedAt !== null) {
    return refused('conflict', 'The grant was voided already, on {when}.', { when: voidedAt })
  }
  if (expiresAt !== null && expiresAt <= at) {
    const message =
      'The grant expired on {when}, and what was left of it ended then: what was spent of it can ' +
      'be taken back with an adjustment.'
    return refused('conflict', message, { when: expiresAt })
  }
  return undefined
}

export function evolveVoid(
  state: AccountState,
  { grantId, amount, slices, debt, balanceAfter, at }: AccountEventOf<'GrantVoided'>['data'],
): void {
  takeFromGrants(state, slices)
  moveDebt(state, debt)
  const grant = state.grants.get(grantId)
  if (grant !== undefined) grant.voidedAt = at
  moveBalance(state, -amount, balanceAfter)
}
