/**
 * What moves a settled balance, and what a month calls it:
 *
 *     opening + payments + promotional − used − expired − refunded + corrected = closing
 *
 * Every event that carries `balanceAfter` moves the balance, unless its amount is zero: then it is
 * no movement, as it is no entry of a statement. Usage is told apart, because it has tokens; all
 * other movements are in the one table of this file.
 */
import { movesBalance } from '@svc/contracts/events/account'
import type { StoredData, StoredEvent } from '../projection/decode.ts'

/** Columns of a month beside the usage. */
export type MovementKind = 'payments' | 'promotional' | 'expired' | 'refunded' | 'corrected'

/** An event that moves the balance by something else than usage, money as it is stored. */
export interface Movement {
  readonly kind: MovementKind
  /**
   * The amount as the column counts it: expiry and refund leave the balance when they are above
   * zero.
   */
  readonly amount: string
  readonly balance: string
}

export function movementOf(event: StoredEvent): Movement | undefined {
  const named = namedMovement(event)
  return named?.amount === '0' ? undefined : named
}

function namedMovement(event: StoredEvent): Movement | undefined {
  if (!movesBalance(event)) return undefined
  switch (event.type) {
    case 'CreditGranted':
      return granted(event.data)
    case 'CreditExpired':
      return {
        kind: 'expired',
        amount: event.data.amount,
        balance: event.data.balanceAfter,
      }
    case 'GrantVoided':
      return corrected(negated(event.data.amount), event.data.balanceAfter)
    case 'CreditRefunded':
      // It comes back to the balance.
      return {
        kind: 'refunded',
        amount: negated(event.data.amount),
        balance: event.data.balanceAfter,
      }
    case 'BalanceAdjusted':
      return corrected(event.data.amount, event.data.balanceAfter)
    case 'AccountClosed':
      return closed(event.data)
    // This is usage, which has tokens.
    case 'CreditDebited':
      return undefined
    default:
      return event satisfies never
  }
}

/**
 * Tells what a closing moves. What is paid out leaves the balance as money; what is written off is
 * no money.
 */
function closed({ remainder, amount, balanceAfter }: StoredData<'AccountClosed'>): Movement {
  if (remainder !== 'paid_out') return corrected(amount, balanceAfter)
  return { kind: 'refunded', amount: negated(amount), balance: balanceAfter }
}

function corrected(amount: string, balance: string): Movement {
  return { kind: 'corrected', amount, balance }
}

/** Gives the amount, in decimal text, the other sign. */
export function negated(amount: string): string {
  if (amount.startsWith('-')) return amount.slice(1)
  return amount === '0' ? amount : `-${amount}`
}

function granted(data: StoredData<'CreditGranted'>): Movement {
  return {
    kind: data.category === 'paid' ? 'payments' : 'promotional',
    amount: data.amount,
    balance: data.balanceAfter,
  }
}
