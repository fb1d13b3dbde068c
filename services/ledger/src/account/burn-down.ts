/**
 * The order in which grants burn, and how an amount is taken from them.
 *
 *     priority · earliest expiry (none last) · promotional before paid · oldest · id
 */
import type { GrantSlice } from '@svc/contracts/events/account'
import type { PicoDollars } from '@svc/contracts/money'
import type { Grant } from './state.ts'

export interface BurnDown {
  readonly slices: readonly GrantSlice[]
  /** What no grant covered. */
  readonly debt: PicoDollars
}

type BurnTerms = Pick<Grant, 'grantId' | 'priority' | 'expiresAt' | 'category' | 'grantedAt'>

/** Negative when `a` burns before `b`. Total: ids are distinct. */
export function burnOrder(a: BurnTerms, b: BurnTerms): number {
  return (
    a.priority - b.priority ||
    compareExpiry(a.expiresAt, b.expiresAt) ||
    rank(a) - rank(b) ||
    a.grantedAt - b.grantedAt ||
    (a.grantId < b.grantId ? -1 : 1)
  )
}

/**
 * Takes an amount from the grants, in the order they are given in.
 *
 * An expired grant still burns: what an open request held at the time of the expiry stays its own.
 */
export function burnDown(
  burning: readonly Pick<Grant, 'grantId' | 'remaining'>[],
  amount: PicoDollars,
): BurnDown {
  const slices: GrantSlice[] = []
  let left = amount
  for (const { grantId, remaining } of burning) {
    if (left === 0n) break
    if (remaining === 0n) continue
    const taken = smallerOf(remaining, left)
    slices.push({ grantId, amount: taken })
    left -= taken
  }
  return { slices, debt: left }
}

/** Puts a grant where it belongs in a list that is in burn order. */
export function insertInBurnOrder(burning: Grant[], grant: Grant): void {
  const index = burning.findIndex((other) => burnOrder(grant, other) < 0)
  burning.splice(index === -1 ? burning.length : index, 0, grant)
}

export function smallerOf(a: PicoDollars, b: PicoDollars): PicoDollars {
  if (a < b) return a
  return b
}

function compareExpiry(a: number | null, b: number | null): number {
  if (a === b) return 0
  if (a === null) return 1
  if (b === null) return -1
  return a - b
}

function rank({ category }: BurnTerms): number {
  return category === 'promotional' ? 0 : 1
}
