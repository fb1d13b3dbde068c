/**
 * The price of the bundled model, which a first start publishes so that there is something to try.
 *
 * It was made for a toy, so nothing else is ever sold at it: requests that any other model would
 * run are priced as if it were not there. Every price that an operator publishes is for whatever
 * model is served.
 *
 * Its publisher tells it apart from other prices: a gateway publishes one only on its first start.
 * In older logs what operators published bears a gateway's name too; so only the first price of a
 * list can be the demo price, and only with the rates that the demo price has always had.
 */
import { gatewayActor } from '../events/actors.ts'
import { parsePricePerMillion } from '../money.ts'
import type { Rates } from '../price.ts'

export const DEMO_RATES: Rates = {
  input: parsePricePerMillion('0.15'),
  cachedInput: parsePricePerMillion('0.015'),
  output: parsePricePerMillion('0.60'),
}

const FIRST_REVISION = 0

/**
 * @param rates of a published price
 * @param published where it stands in the list of prices, and who put it there
 */
export function isDemoPrice(
  rates: Rates,
  published: { readonly revision: number; readonly actor: string },
): boolean {
  return (
    published.revision === FIRST_REVISION &&
    published.actor.startsWith(gatewayActor('')) &&
    rates.input === DEMO_RATES.input &&
    rates.cachedInput === DEMO_RATES.cachedInput &&
    rates.output === DEMO_RATES.output
  )
}
