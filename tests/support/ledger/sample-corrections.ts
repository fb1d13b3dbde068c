/** Commands of the operator with everything filled in. */
import type {
  AdjustBalance,
  CloseAccount,
  CorrectionDue,
  CorrectPrice,
  RecordedCharge,
  RefundRequest,
  VoidGrant,
} from '@svc/contracts/commands'
import type { PriceCorrection } from '@svc/contracts/events/account'
import { START_MS } from '../manual-time.ts'
import { grantId, price, requestId, sampleId } from './sample.ts'

const operator = { actor: 'operator', at: START_MS, reason: 'a mistake' }
export const voidOf = (index: number, fields: Partial<VoidGrant> = {}): VoidGrant => ({
  ...operator,
  type: 'VoidGrant',
  changeId: sampleId('chg', index),
  grantId: grantId(index),
  reference: null,
  ...fields,
})

/** Of request 1, which cost 50, all of it from grant 1. */
export const charge: RecordedCharge = {
  amount: 50n,
  slices: [{ grantId: grantId(1), amount: 50n }],
  debt: 0n,
  version: price.version,
  acceptedAt: START_MS,
  counts: { inputTokens: 10, cachedInputTokens: 0, outputTokens: 10 },
  refunds: [],
}

export const refund = (
  index: number,
  amount: bigint | null,
  fields: Partial<RefundRequest> = {},
): RefundRequest => ({
  ...operator,
  type: 'RefundRequest',
  refundId: sampleId('refund', index),
  requestId: requestId(1),
  amount,
  charge,
  correctionsSeen: 0,
  reference: null,
  ...fields,
})

export const adjust = (
  index: number,
  amount: bigint,
  fields: Partial<AdjustBalance> = {},
): AdjustBalance => ({
  ...operator,
  type: 'AdjustBalance',
  adjustmentId: sampleId('adj', index),
  amount,
  category: 'paid',
  reference: null,
  ...fields,
})

export const correct = (
  correction: PriceCorrection,
  due: CorrectionDue,
  fields: Partial<CorrectPrice> = {},
): CorrectPrice => ({
  ...operator,
  type: 'CorrectPrice',
  correction,
  due,
  adjustmentIds: { paid: sampleId('adj', 101), promotional: sampleId('adj', 102) },
  correctionsSeen: 0,
  reference: null,
  ...fields,
})

export const close = (fields: Partial<CloseAccount> = {}): CloseAccount => ({
  ...operator,
  type: 'CloseAccount',
  changeId: sampleId('chg', 900),
  remainder: 'none',
  reference: null,
  ...fields,
})

export const change = (index: number) => ({ ...operator, changeId: sampleId('chg', index) })
