/** What the cache saved: cached tokens at the price of input, less what they were charged. */
import { formatExact, type PicoDollars, parseDollars } from '@svc/contracts/money'
import type { UsageAnswer } from '@svc/contracts/wire/usage'
import { type UsageRow, usedOf } from './usage-rows.ts'

export interface Savings {
  readonly cachedTokens: number
  /** Exact dollars, as all below: what the tokens would have cost as input. */
  readonly asInput: string
  readonly charged: string
  readonly saved: string
}

type Used = Pick<UsageRow, 'lines'>

/**
 * The price of input is the average one of the row: where the price changed within it, what was
 * saved is known to within that change. A row without uncached input takes the average of all.
 *
 * @param whole of the period
 */
export function savingsOf(row: Used, whole: UsageAnswer['total']): Savings {
  const cached = usedOf(row, 'cached_input')
  const own = usedOf(row, 'input')
  const input = own.tokens > 0 ? own : usedOf(whole, 'input')
  const charged = parseDollars(cached.amount)
  const asInput =
    input.tokens === 0
      ? charged
      : (parseDollars(input.amount) * BigInt(cached.tokens)) / BigInt(input.tokens)
  return textsOf(cached.tokens, asInput, charged)
}

/** Adds up the savings of all rows. */
export function allSavings(rows: readonly Savings[]): Savings {
  const sum = (of: (row: Savings) => string) =>
    rows.reduce((total, row) => total + parseDollars(of(row)), 0n)
  const tokens = rows.reduce((total, row) => total + row.cachedTokens, 0)
  return textsOf(
    tokens,
    sum(({ asInput }) => asInput),
    sum(({ charged }) => charged),
  )
}

function textsOf(cachedTokens: number, asInput: PicoDollars, charged: PicoDollars): Savings {
  return {
    cachedTokens,
    asInput: formatExact(asInput),
    charged: formatExact(charged),
    saved: formatExact(asInput - charged),
  }
}
