/** An adjustment moves the balance up or down by an amount. */
import type { AdjustBalance } from '@svc/contracts/commands'
import type { AccountEventOf, PriceCorrection } from '@svc/contracts/events/account'
import { burnDown, smallerOf } from '../burn-down.ts'
import { contentOfAdjustment, isSameContent } from '../content.ts'
import { fundsAfterExpiry, refuseNewCredit, refuseTexts } from '../credit.ts'
import { type Decision, happens, nothingToDo, refused } from '../decision.ts'
import { addCorrectionCredit, moveBalance, moveDebt, takeFromGrants } from '../funds.ts'
import { type AccountState, ADJUSTMENTS_MAX, InconsistentHistoryError } from '../state.ts'

type AdjustedEvent = AccountEventOf<'BalanceAdjusted'>
/** What one event adjusts. */
export type Adjustment = Pick<AdjustBalance, 'adjustmentId' | 'amount' | 'category'>

export function decideAdjust(state: AccountState, command: AdjustBalance): Decision {
  const { adjustmentId, amount, category } = command
  const made = state.adjustments.get(adjustmentId)
  if (made !== undefined) {
    return isSameContent(made.content, contentOfAdjustment(command))
      ? nothingToDo
      : refused('conflict', 'This adjustment was made before, with other content.')
  }
  if (amount === 0n) {
    return refused('invalid_value', 'An adjustment by zero changes nothing.', { param: 'amount' })
  }
  return (
    refuseAdjustments(state, 1, amount > 0n ? 1 : 0) ??
    refuseTexts(command) ??
    adjustInParts(state, command, [{ adjustmentId, amount, category }], null)
  )
}

export function refuseAdjustments(
  state: AccountState,
  count: number,
  grants: number,
): Decision | undefined {
  if (state.adjustments.size + count > ADJUSTMENTS_MAX) {
    const message = `The account has ${ADJUSTMENTS_MAX} adjustments, the most there can be.`
    return refused('conflict', message)
  }
  return grants === 0 ? undefined : refuseNewCredit(state, grants)
}

/** @param parts one, or several that all go up */
export function adjustInParts(
  state: AccountState,
  { reference, reason, at }: Pick<AdjustBalance, 'reference' | 'reason' | 'at'>,
  parts: readonly Adjustment[],
  correction: PriceCorrection | null,
): Decision {
  const funds = fundsAfterExpiry(state, at)
  let { balance } = funds
  let owed = state.debt
  const events = parts.map(({ adjustmentId, amount, category }): AdjustedEvent => {
    const paidDebt = amount > 0n ? smallerOf(owed, amount) : 0n
    const { slices, debt } = burnDown(funds.credit, amount < 0n ? -amount : 0n)
    owed -= paidDebt
    balance += amount
    const credit = amount > 0n ? amount - paidDebt : 0n
    const moved = { adjustmentId, amount, paidDebt, credit, slices: [...slices], debt, category }
    const why = { correction, reference, reason }
    return { type: 'BalanceAdjusted', data: { ...moved, ...why, balanceAfter: balance, at } }
  })
  return happens(...funds.expired, ...events)
}

export function evolveAdjust(state: AccountState, adjusted: AdjustedEvent['data']): void {
  const { adjustmentId, amount, paidDebt, credit, slices, debt, category, at } = adjusted
  takeFromGrants(state, slices)
  addCorrectionCredit(state, { grantId: adjustmentId, category, amount: credit, grantedAt: at })
  moveDebt(state, debt - paidDebt)
  if (state.adjustments.has(adjustmentId)) {
    throw new InconsistentHistoryError(`${adjustmentId} is adjusted twice`)
  }
  state.adjustments.set(adjustmentId, { amount, content: contentOfAdjustment(adjusted) })
  const { correction } = adjusted
  // A run may adjust both kinds of credit.
  if (correction !== null && state.priceCorrections.at(-1)?.runId !== correction.runId) {
    state.priceCorrections.push(correction)
  }
  state.correctionsMade += 1
  moveBalance(state, amount, adjusted.balanceAfter)
}
