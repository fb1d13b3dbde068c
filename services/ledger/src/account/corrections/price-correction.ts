/** A wrong price is made good: what requests were charged at it is set right, by adjustments. */
import type { CorrectPrice, RecordedCharge } from '@svc/contracts/commands'
import type { PriceCorrection } from '@svc/contracts/events/account'
import type { PicoDollars } from '@svc/contracts/money'
import { costOf } from '@svc/contracts/price'
import { contentOfCorrection } from '../content.ts'
import { refuseTexts } from '../credit.ts'
import { type Decision, nothingToDo, refused } from '../decision.ts'
import type { AccountState } from '../state.ts'
import { type Adjustment, adjustInParts, refuseAdjustments } from './adjustment.ts'

/** What a request was charged, and at which price. */
export type PinnedCharge = Pick<RecordedCharge, 'amount' | 'version' | 'acceptedAt' | 'counts'>

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
  }) as [Adjustment, Adjustment]
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
    adjustInParts(state, command, parts, correction)
  )
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
