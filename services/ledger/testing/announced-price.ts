/** Prices that begin later, for tests. */
import { MODEL, rates } from '@svc/testing/ledger/open-ledger'

export const MINUTE_MS = 60_000

/** An announced price: from an hour from now on, if nothing else is said. */
export const announced = (
  { time }: { readonly time: { nowMs(): number } },
  fields: { priceList?: string; output?: bigint; inMs?: number } = {},
) => {
  const { priceList = 'default', output = 9n, inMs = 60 * MINUTE_MS } = fields
  const effectiveFrom = time.nowMs() + inMs
  return { model: MODEL, priceList, rates: { ...rates, output }, effectiveFrom }
}
