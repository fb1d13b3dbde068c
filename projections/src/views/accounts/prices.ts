/** Every price that was ever published, and which of them were withdrawn. */
import { isDemoPrice } from '@svc/contracts/demo-price'
import type { DecodedEvent } from '../../projection/decode.ts'
import { actorOf } from '../actor.ts'
import type { PriceRow } from '../rows/account-rows.ts'
import type { TouchedRows } from '../touched-rows.ts'

export interface PriceState extends Omit<PriceRow, 'withdrawnAt'> {
  /** The revision of the publication in the stream of prices: the order of the lists. */
  readonly revision: number
  withdrawnAt: number | null
}

export function projectPrices(
  prices: TouchedRows<PriceState>,
  { event, recorded }: DecodedEvent,
): void {
  if (event.type === 'PricePublished') {
    const { model, priceList, price, effectiveFrom, at: publishedAt } = event.data
    const { version } = price
    const rates = {
      input: BigInt(price.input),
      cachedInput: BigInt(price.cachedInput),
      output: BigInt(price.output),
    }
    const { revision } = recorded
    const actor = actorOf(recorded.metadata) ?? ''
    const isDemo = isDemoPrice(rates, { revision, actor })
    const when = { effectiveFrom, publishedAt, withdrawnAt: null }
    prices.add(version, { revision, version, model, priceList, ...rates, isDemo, ...when })
  } else if (event.type === 'PriceWithdrawn') {
    prices.change(event.data.version).withdrawnAt = event.data.at
  }
}
