/** What is left of every grant of credit: it burns down, expires, is voided, and gets refunds. */
import { CORRECTION_PRIORITY, type GrantSlice } from '@svc/contracts/events/account'
import type { PicoDollars } from '@svc/contracts/money'
import type { StoredData, StoredEvent } from '../../projection/decode.ts'
import type { TouchedRows } from '../touched-rows.ts'

export interface GrantState {
  readonly grantId: string
  readonly accountId: string
  readonly category: 'paid' | 'promotional'
  readonly priority: number
  readonly amount: PicoDollars
  remaining: PicoDollars
  readonly expiresAt: number | null
  readonly grantedAt: number
  voidedAt: number | null
}

type Grants = TouchedRows<GrantState>
/** A part of an amount, as it is stored. */
type StoredSlice = Readonly<Record<keyof GrantSlice, string>>

export function projectGrants(grants: Grants, event: StoredEvent, accountId: string): void {
  switch (event.type) {
    case 'CreditGranted':
      addGrant(grants, accountId, event.data)
      break
    case 'CreditDebited':
    case 'AccountClosed':
      take(grants, event.data.slices)
      break
    case 'CreditExpired':
      take(grants, [event.data])
      break
    case 'GrantVoided': {
      take(grants, event.data.slices)
      const grant = changed(grants, event.data.grantId)
      if (grant !== undefined) grant.voidedAt = event.data.at
      break
    }
    case 'CreditRefunded': {
      const { refundId: grantId, slices, credit, at } = event.data
      for (const slice of slices) move(grants, slice.grantId, BigInt(slice.amount))
      addCorrection(grants, { grantId, accountId, category: 'paid', credit, at })
      break
    }
    case 'BalanceAdjusted': {
      const { adjustmentId: grantId, slices, category, credit, at } = event.data
      take(grants, slices)
      addCorrection(grants, { grantId, accountId, category, credit, at })
      break
    }
    default:
  }
}

function addGrant(grants: Grants, accountId: string, data: StoredData<'CreditGranted'>): void {
  const { grantId, category, priority, expiresAt, at: grantedAt } = data
  const amount = BigInt(data.amount)
  const remaining = amount - BigInt(data.paidDebt)
  const terms = { grantId, accountId, category, priority, expiresAt, grantedAt, voidedAt: null }
  grants.add(grantId, { ...terms, amount, remaining })
}

/** Adds what a correction gives: a grant with the id of the correction, which never expires. */
function addCorrection(
  grants: Grants,
  {
    credit,
    at: grantedAt,
    ...terms
  }: Pick<GrantState, 'grantId' | 'accountId' | 'category'> & {
    readonly credit: string
    readonly at: number
  },
): void {
  const amount = BigInt(credit)
  if (amount === 0n) return
  const rest = { priority: CORRECTION_PRIORITY, expiresAt: null, grantedAt, voidedAt: null }
  grants.add(terms.grantId, { ...terms, ...rest, amount, remaining: amount })
}

function take(grants: Grants, slices: readonly StoredSlice[]): void {
  for (const { grantId, amount } of slices) move(grants, grantId, -BigInt(amount))
}

function move(grants: Grants, grantId: string, change: PicoDollars): void {
  const grant = changed(grants, grantId)
  if (grant !== undefined) grant.remaining += change
}

/** A grant that was never made: what is wrong with such a history, a replay says. */
function changed(grants: Grants, grantId: string): GrantState | undefined {
  return grants.find(grantId) === undefined ? undefined : grants.change(grantId)
}
