/** Finds what about a new price looks like a typing error. */
import { formatPricePerMillion, type PicoDollars } from '@svc/contracts/money'
import type { Rates } from '@svc/contracts/price'

/** A rate that is this many times as much, or as little, is asked about. */
const SUSPICIOUS_FACTOR = 10n

const rateNames: readonly (readonly [keyof Rates, string])[] = [
  ['input', 'input'],
  ['cachedInput', 'cached input'],
  ['output', 'output'],
]

/**
 * @param replaced the price that the new one takes the place of, or null
 * @returns each doubt in one line; none for a price that looks as usual
 */
export function priceDoubts(replaced: Rates | null, price: Rates): readonly string[] {
  const isFree = rateNames.every(([name]) => price[name] === 0n)
  if (isFree) return ['every rate is 0: whatever is asked for would be free']
  if (replaced === null) return []
  return rateNames.flatMap(([name, title]) => doubtOf(title, replaced[name], price[name]))
}

function doubtOf(title: string, before: PicoDollars, after: PicoDollars): string[] {
  if (before === after) return []
  const isSuspicious = after >= before * SUSPICIOUS_FACTOR || before >= after * SUSPICIOUS_FACTOR
  if (!isSuspicious) return []
  const [from, to] = [before, after].map(formatPricePerMillion)
  return [`${title} goes from $${from} to $${to} per million tokens`]
}
