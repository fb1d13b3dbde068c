/** The events of the one stream `pricing`. The names and shapes are the storage format. */
import { z } from 'zod'
import { priceVersion } from '../price.ts'

export const pricingStream = 'pricing'

export const pricingEventSchemas = {
  PricePublished: z.object({
    model: z.string(),
    price: priceVersion,
    /** The price is used for requests accepted from this moment on. */
    effectiveFrom: z.int().min(0),
    at: z.int().min(0),
  }),
} as const

export type PricingEvent = {
  readonly type: 'PricePublished'
  readonly data: Readonly<z.output<typeof pricingEventSchemas.PricePublished>>
}
