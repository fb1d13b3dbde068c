/** A refund gives back what a request was debited, or a part of it. */
import type { RecordedCharge, RecordedRefund, RefundRequest } from '@svc/contracts/commands'
import type { AccountEventOf, GrantSlice, PriceCorrection } from '@svc/contracts/events/account'
import { formatDollars, type PicoDollars } from '@svc/contracts/money'
import { smallerOf } from '../burn-down.ts'
import { fundsAfterExpiry, refuseNewCredit, refuseTexts, tooManyGrants } from '../credit.ts'
import { type Decision, happens, nothingToDo, refused } from '../decision.ts'
import { addCorrectionCredit, moveBalance, moveDebt, returnToGrants } from '../funds.ts'
import {
  type AccountState,
  forgetOldest,
  GRANTS_WITH_CREDIT_MAX,
  type Grant,
  InconsistentHistoryError,
  REFUNDED_REQUESTS_MAX,
  REFUNDS_PER_REQUEST_MAX,
} from '../state.ts'
import { costAtItsPrice } from './price-correction.ts'

const RETRY_SECONDS = 1
const READ_AGAIN =
  'The account was corrected too often since the charge was read. Please try again.'

type Refunded = AccountEventOf<'CreditRefunded'>['data']

export function decideRefund(state: AccountState, command: RefundRequest): Decision {
  const { requestId, refundId, charge, reference, reason, at } = command
  const known = state.refunds.get(requestId)
  if (known === undefined && mayBeForgotten(state, command)) {
    return refused('view_behind', READ_AGAIN, { retryAfterSeconds: RETRY_SECONDS })
  }
  const refunds = [...charge.refunds, ...(known?.refunds ?? [])]
  const before = known?.total ?? sumOf(charge.refunds)
  const left = refundable(charge, before, state.priceCorrections)
  const made = refunds.find((refund) => refund.refundId === refundId)
  if (made !== undefined) {
    // A refund of all that was left has left nothing.
    const isSame = command.amount === null ? left === 0n : command.amount === made.amount
    return isSame
      ? nothingToDo
      : refused('conflict', 'This refund was made before, with another amount.')
  }
  if (isRefundOfAnother(state, command)) {
    return refused('conflict', 'This refund was made before, of another request.')
  }
  const amount = command.amount ?? left
  const refundsMade = new Set(refunds.map((refund) => refund.refundId)).size
  const refusal = refuseRefund(command, amount, left, refundsMade) ?? refuseTexts(command)
  if (refusal !== undefined) return refusal
  const { expired, balance } = fundsAfterExpiry(state, at)
  const back = returned(state, charge, before, amount)
  const tooMany = refuseTooMany(state, back)
  if (tooMany !== undefined) return tooMany
  const data: Refunded = {
    refundId,
    requestId,
    amount,
    refundedBefore: before,
    ...back,
    reference,
    reason,
    balanceAfter: balance + amount,
    at,
  }
  return happens(...expired, { type: 'CreditRefunded', data })
}

/**
 * Whether the request may have been refunded since its charge was read, and that be forgotten: a
 * command can wait for an append whose outcome is unknown, while another gateway makes refunds.
 */
function mayBeForgotten(
  { correctionsMade }: AccountState,
  { correctionsSeen }: RefundRequest,
): boolean {
  return correctionsMade - correctionsSeen > REFUNDED_REQUESTS_MAX
}

/** Credit of its own has the refund's id: made twice, it would make the account unreadable. */
function isRefundOfAnother(
  { refunds, grants }: AccountState,
  { refundId }: RefundRequest,
): boolean {
  if (grants.has(refundId)) return true
  return [...refunds.values()].some((known) =>
    known.refunds.some((made) => made.refundId === refundId),
  )
}

function refuseRefund(
  { amount: asked }: RefundRequest,
  amount: PicoDollars,
  left: PicoDollars,
  refundsMade: number,
): Decision | undefined {
  if (asked !== null && asked <= 0n) {
    return refused('invalid_value', 'A refund must be more than zero.', { param: 'amount' })
  }
  if (left === 0n) return refused('conflict', 'Nothing of the charge is left to refund.')
  if (amount > left) {
    const message = `Of the charge ${formatDollars(left)} is left to refund, less than ${formatDollars(amount)}.`
    return refused('conflict', message, { param: 'amount' })
  }
  if (refundsMade >= REFUNDS_PER_REQUEST_MAX) {
    const message = `The request has ${REFUNDS_PER_REQUEST_MAX} refunds, the most there can be.`
    return refused('conflict', message)
  }
  return undefined
}

/**
 * What of a charge has not come back: less earlier refunds, and where its price was made good, less
 * what came back by that.
 */
function refundable(
  charge: RecordedCharge,
  refunded: PicoDollars,
  corrections: readonly PriceCorrection[],
): PicoDollars {
  const corrected = costAtItsPrice(charge, corrections)
  const left = smallerOf(charge.amount, corrected) - refunded
  return left > 0n ? left : 0n
}

/**
 * Unwinds the debit from its end: its debt, then the slices from the last to the first, from where
 * the refunds before it stopped. What was debt has been paid by later credit, and a voided grant
 * has nothing to hold: there the refund becomes credit of its own.
 */
function returned(
  state: AccountState,
  charge: RecordedCharge,
  before: PicoDollars,
  amount: PicoDollars,
): Pick<Refunded, 'paidDebt' | 'slices' | 'credit'> {
  const paidDebt = smallerOf(state.debt, amount)
  let skipped = before + paidDebt
  let left = amount - paidDebt
  let credit = 0n
  const slices: GrantSlice[] = []
  for (const place of [{ grantId: null, amount: charge.debt }, ...charge.slices.toReversed()]) {
    const passed = smallerOf(place.amount, skipped)
    skipped -= passed
    const part = smallerOf(place.amount - passed, left)
    left -= part
    if (part === 0n) continue
    const { grantId } = place
    if (grantId === null || !canHold(state.grants.get(grantId))) credit += part
    else slices.push({ grantId, amount: part })
  }
  return { paidDebt, slices, credit }
}

function canHold(grant: Grant | undefined): boolean {
  return grant !== undefined && grant.voidedAt === null
}

/** A grant that has something left takes no more room for what comes back to it. */
function refuseTooMany(
  state: AccountState,
  { credit, slices }: Pick<Refunded, 'credit' | 'slices'>,
): Decision | undefined {
  const added = credit > 0n ? 1 : 0
  const refilled = slices.filter(({ grantId }) => state.grants.get(grantId)?.remaining === 0n)
  const withCredit = state.burning.length + added + refilled.length
  return withCredit > GRANTS_WITH_CREDIT_MAX ? tooManyGrants() : refuseNewCredit(state, added)
}

function sumOf(refunds: readonly RecordedRefund[]): PicoDollars {
  return refunds.reduce((sum, { amount }) => sum + amount, 0n)
}

export function evolveRefund(state: AccountState, refunded: Refunded): void {
  const { refundId, requestId, amount, refundedBefore, paidDebt, slices, credit, at } = refunded
  returnToGrants(state, slices)
  addCorrectionCredit(state, { grantId: refundId, category: 'paid', amount: credit, grantedAt: at })
  moveDebt(state, -paidDebt)
  const refunds = [...refundsBefore(state, refunded), { refundId, amount }]
  // It goes to the end: else it could be forgotten between another refund's look at the log, which
  // does not find this one, and its decision, which needs it.
  state.refunds.delete(requestId)
  state.refunds.set(requestId, { total: refundedBefore + amount, refunds })
  if (forgetOldest(state.refunds, REFUNDED_REQUESTS_MAX)) state.hasForgottenRefunds = true
  state.correctionsMade += 1
  moveBalance(state, amount, refunded.balanceAfter)
}

/** How much may still be given back depends on how much was. */
function refundsBefore(
  { refunds, hasForgottenRefunds }: AccountState,
  { requestId, refundedBefore }: Refunded,
): readonly RecordedRefund[] {
  const known = refunds.get(requestId)
  const total = known?.total ?? (hasForgottenRefunds ? refundedBefore : 0n)
  if (total !== refundedBefore) {
    const message = `${requestId} was refunded ${total}, an event says ${refundedBefore}`
    throw new InconsistentHistoryError(message)
  }
  return known?.refunds ?? []
}
