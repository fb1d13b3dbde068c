/**
 * Moves the money of an account: what its grants have left, its debt and its balance.
 *
 * Every event that moves the balance says what the balance is afterwards. The fold adds up by
 * itself and compares: an account whose history does not add up is not traded with.
 */
import { CORRECTION_PRIORITY, type GrantSlice } from '@svc/contracts/events/account'
import type { PicoDollars } from '@svc/contracts/money'
import { insertInBurnOrder } from './burn-down.ts'
import { type AccountState, type Grant, InconsistentHistoryError } from './state.ts'

export function addCredit(state: AccountState, terms: Omit<Grant, 'expired' | 'voidedAt'>): void {
  const { grantId, remaining } = terms
  const grant: Grant = { ...terms, expired: 0n, voidedAt: null }
  if (state.grants.has(grantId)) throw new InconsistentHistoryError(`${grantId} is granted twice`)
  state.grants.set(grantId, grant)
  if (remaining > 0n) insertInBurnOrder(state.burning, grant)
}

/** Credit that a correction brings: a grant with the id of the correction, which never expires. */
export function addCorrectionCredit(
  state: AccountState,
  terms: Pick<Grant, 'grantId' | 'category' | 'amount' | 'grantedAt'>,
): void {
  const { amount } = terms
  if (amount === 0n) return
  const always = { priority: CORRECTION_PRIORITY, expiresAt: null, reference: null }
  addCredit(state, { ...terms, ...always, remaining: amount })
}

export function takeFromGrants(state: AccountState, slices: readonly GrantSlice[]): void {
  for (const { grantId, amount } of slices) {
    const grant = state.grants.get(grantId)
    if (grant === undefined || grant.remaining < amount) {
      throw new InconsistentHistoryError(`${grantId} does not have ${amount} left`)
    }
    grant.remaining -= amount
    if (grant.remaining === 0n) stopBurning(state, grant)
  }
}

function stopBurning({ burning }: AccountState, grant: Grant): void {
  const index = burning.indexOf(grant)
  if (index !== -1) burning.splice(index, 1)
}

export function returnToGrants(state: AccountState, slices: readonly GrantSlice[]): void {
  for (const { grantId, amount } of slices) {
    const grant = state.grants.get(grantId)
    if (grant === undefined || grant.remaining + amount > grant.amount) {
      throw new InconsistentHistoryError(`${grantId} cannot have ${amount} back`)
    }
    if (grant.remaining === 0n) insertInBurnOrder(state.burning, grant)
    grant.remaining += amount
  }
}

export function moveDebt(state: AccountState, change: PicoDollars): void {
  state.debt += change
  if (state.debt < 0n) {
    throw new InconsistentHistoryError(`${-state.debt} is paid of a debt that there is not`)
  }
}

export function moveBalance(state: AccountState, change: PicoDollars, after: PicoDollars): void {
  state.balance += change
  if (state.balance !== after) {
    throw new InconsistentHistoryError(`the balance is ${state.balance}, an event says ${after}`)
  }
}
