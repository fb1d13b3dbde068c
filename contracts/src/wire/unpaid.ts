import { formatExact, parseDollars } from '../money.ts'
import type { Receipt } from './billing.ts'

/**
 * @returns the part of a charge that no credit covered, in exact dollars: a debt, which the next
 *   credit pays first; null where grants paid all of it
 */
export function unpaidOf({ amount, grants }: Pick<Receipt, 'amount' | 'grants'>): string | null {
  const paid = grants.reduce((sum, grant) => sum + parseDollars(grant.amount), 0n)
  const unpaid = parseDollars(amount) - paid
  return unpaid > 0n ? formatExact(unpaid) : null
}
