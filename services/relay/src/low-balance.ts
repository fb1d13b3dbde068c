/**
 * Whether an event takes a balance below the amount at which somebody wants to know of it.
 *
 * Each event that moves a balance says by how much, and what it is afterwards: so one event of the
 * log is the crossing, whoever looks and how often, and there is nothing to remember.
 */
import { formatExact, type PicoDollars } from '@svc/contracts/money'

interface Moved {
  readonly amount: string
  readonly balanceAfter: string
}

/** The sign with which each of these takes from the balance, as its `amount` counts it. */
const taking = {
  CreditDebited: 1n,
  CreditExpired: 1n,
  GrantVoided: 1n,
  // An adjustment above zero adds to the balance.
  BalanceAdjusted: -1n,
} as const

/**
 * @param data as stored, in the current version
 * @returns the balance that is left, in exact dollars; undefined for every other event
 */
export function lowBalanceAfter(
  type: string,
  data: unknown,
  below: PicoDollars,
): string | undefined {
  if (!Object.hasOwn(taking, type)) return undefined
  const { amount, balanceAfter } = data as Moved
  const after = BigInt(balanceAfter)
  const before = after + taking[type as keyof typeof taking] * BigInt(amount)
  return after < below && before >= below ? formatExact(after) : undefined
}
