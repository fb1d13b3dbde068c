/** What tokens cost: `GET /v1/prices`, and the same in every entry of `GET /v1/models`. */
import { z } from 'zod'
import { dollars } from './dollars.ts'

const modelPrice = z
  .object({
    /** The version, as in the receipt of every request that was accepted while it was in force. */
    version: z.string(),
    input: dollars,
    cached_input: dollars,
    output: dollars,
    /** RFC 3339. */
    effective_from: z.string(),
  })
  .meta({ id: 'Price', description: 'Dollars per million tokens.' })
export type ModelPrice = z.output<typeof modelPrice>

export const modelPrices = {
  /** The price in force now for whoever asks. Null means that none is, and requests are refused. */
  price: modelPrice.nullable(),
  /** The price that is announced: it replaces the one in force at its time. */
  next_price: modelPrice.nullable(),
}

export const priceList = z.object({
  object: z.literal('list'),
  currency: z.literal('USD'),
  /** The number of tokens that each rate is for. */
  per_tokens: z.literal(1_000_000),
  data: z.array(z.object({ object: z.literal('price'), model: z.string(), ...modelPrices })),
})
export type PriceList = z.output<typeof priceList>
