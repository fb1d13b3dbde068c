/**
 * Decides about mistakes that are made good. Nothing is edited: a correction is an event.
 *
 *     void    all of a grant is taken back: what is left of it, then other credit, then a debt
 *     refund  what a request was debited is given back, or a part of it
 *     adjust  the balance goes up or down by an amount
 *     correct what requests were charged at a wrong price is set right, by adjustments
 *
 * Whatever comes back pays a debt first, so that there is none while a grant has something left.
 */
import type {
  AdjustBalance,
  CorrectPrice,
  RecordedCharge,
  RecordedRefund,
  RefundRequest,
  VoidGrant,
} from '@svc/contracts/commands'
import type { AccountEventOf, GrantSlice, PriceCorrection } from '@svc/contracts/events/account'
import { formatDollars, type PicoDollars } from '@svc/contracts/money'
import { costOf } from '@svc/contracts/price'
import { burnDown, smallerOf } from './burn-down.ts'
import { contentOfAdjustment, contentOfCorrection, isSameContent } from './content.ts'
import { fundsAfterExpiry, refuseNewCredit, refuseTexts, tooManyGrants } from './credit.ts'
import { type Decision, happens, nothingToDo, refused } from './decision.ts'
import {
  type AccountState,
  ADJUSTMENTS_MAX,
  GRANTS_WITH_CREDIT_MAX,
  type Grant,
  REFUNDS_PER_REQUEST_MAX,
} from './state.ts'

type Refunded = AccountEventOf<'CreditRefunded'>['data']
/** What a request was charged, and at which price. */
export type PinnedCharge = Pick<RecordedCharge, 'amount' | 'version' | 'acceptedAt' | 'counts'>
type AdjustedEvent = AccountEventOf<'BalanceAdjusted'>

export function decideVoid(state: AccountState, command: VoidGrant): Decision {
  const { grantId, changeId, reason, reference, at } = command
  const grant = state.grants.get(grantId)
  if (grant === undefined) return refused('not_found', 'The account has no such grant.')
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

export function decideRefund(state: AccountState, command: RefundRequest): Decision {
  const { requestId, refundId, charge, reference, reason, at } = command
  const known = state.refunds.get(requestId)
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
  const tooMany = refuseNewCredit(state, back.credit > 0n ? 1 : 0)
  if (tooMany !== undefined) return tooMany
  if (state.burning.length + back.slices.length > GRANTS_WITH_CREDIT_MAX) return tooManyGrants()
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

/** Credit of its own has the refund's id: made twice, it would make the account unreadable. */
function isRefundOfAnother(
  { refunds, grants }: AccountState,
  { requestId, refundId }: RefundRequest,
): boolean {
  if (grants.has(refundId)) return true
  return [...refunds].some(
    ([id, known]) => id !== requestId && known.refunds.some((made) => made.refundId === refundId),
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

/** What a request costs at the price that counts now: the last that was made good, or its own. */
export function costAtItsPrice(
  charge: PinnedCharge,
  corrections: readonly PriceCorrection[],
): PicoDollars {
  const last = corrections.findLast((correction) => isAbout(correction, charge))
  return last === undefined ? charge.amount : costOf(last.price, charge.counts)
}

/** Whether a request is one of those that a correction sets right. */
export function isAbout(
  { price, from, to }: PriceCorrection,
  { version, acceptedAt }: Pick<PinnedCharge, 'version' | 'acceptedAt'>,
): boolean {
  return price.version === version && from <= acceptedAt && acceptedAt < to
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
    adjust(state, command, [{ adjustmentId, amount, category }], null)
  )
}

/** All of an account at once, so that no crash comes between the two kinds of credit. */
export function decideCorrectPrice(state: AccountState, command: CorrectPrice): Decision {
  const { correction, due, adjustmentIds, correctionsSeen } = command
  const made = state.priceCorrections.find(({ runId }) => runId === correction.runId)
  if (made !== undefined) {
    return contentOfCorrection(made) === contentOfCorrection(correction)
      ? nothingToDo
      : refused('conflict', 'This run was made before, with another price or for other requests.')
  }
  if (correctionsSeen !== state.correctionsMade) {
    return refused('conflict', 'The account was corrected meanwhile: work the amount out again.')
  }
  const [promotional, paid] = (['promotional', 'paid'] as const).map((category) => {
    return { adjustmentId: adjustmentIds[category], amount: due[category], category }
  }) as [Part, Part]
  const moved = [promotional, paid].filter(({ amount }) => amount !== 0n)
  // What is more for one request and less for another is recorded, for the refunds to come.
  const parts = moved.length === 0 ? [paid] : moved
  const grants = parts.filter(({ amount }) => amount > 0n).length
  if (grants < parts.length && parts.length > 1) {
    return refused('invalid_value', 'What is charged is charged in one amount.')
  }
  return (
    refuseAdjustments(state, parts.length, grants) ??
    refuseTexts(command) ??
    adjust(state, command, parts, correction)
  )
}

function refuseAdjustments(
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

type Part = Pick<AdjustBalance, 'adjustmentId' | 'amount' | 'category'>

/** @param parts one, or several that all go up */
function adjust(
  state: AccountState,
  { reference, reason, at }: Pick<AdjustBalance, 'reference' | 'reason' | 'at'>,
  parts: readonly Part[],
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

function sumOf(refunds: readonly RecordedRefund[]): PicoDollars {
  return refunds.reduce((sum, { amount }) => sum + amount, 0n)
}
