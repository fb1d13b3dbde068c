/**
 * What moves a settled balance, and what a month calls it:
 *
 *     opening + payments + promotional − used − expired − refunded + corrected = closing
 *
 * Every event that carries `balanceAfter` moves the balance. Usage is told apart, because it has
 * tokens; all other movements are in the one table of this file.
 */
import { isAccountEvent } from '@svc/contracts/events/account'
import type { StoredData, StoredEvent } from '../projection/decode.ts'

/** Columns of a month beside the usage. */
export type MovementKind = 'payments' | 'promotional' | 'expired' | 'refunded' | 'corrected'

/** An event that moves the balance by something else than usage, money as it is stored. */
export interface Movement {
  readonly kind: MovementKind
  /** As the column counts it: expiry and refund leave the balance when they are above zero. */
  readonly amount: string
  readonly balance: string
}

export function movementOf(event: StoredEvent): Movement | undefined {
  if (!isAccountEvent(event)) return undefined
  switch (event.type) {
    case 'CreditGranted':
      return granted(event.data)
    case 'CreditExpired':
      return {
        kind: 'expired',
        amount: event.data.amount,
        balance: event.data.balanceAfter,
      }
    // Usage, which has tokens, and what moves nothing.
    case 'CreditDebited':
    case 'AccountOpened':
    case 'SpendPolicySet':
    case 'PriceListSet':
    case 'ApiKeyCreated':
    case 'ApiKeyRevoked':
    case 'RequestAccepted':
    case 'TokensMetered':
    case 'RequestFailed':
    case 'RequestAbandoned':
      return undefined
    default:
      return event satisfies never
  }
}

function granted(data: StoredData<'CreditGranted'>): Movement {
  return {
    kind: data.category === 'paid' ? 'payments' : 'promotional',
    amount: data.amount,
    balance: data.balanceAfter,
  }
}
