/** The events of the one stream `pricing`. The names and shapes are the storage format. */
import { z } from 'zod'
import { priceVersion } from '../price.ts'
import { freeText, priceCorrection } from './account.ts'

export const pricingStream = 'pricing'

export const pricingEventSchemas = {
  PricePublished: z.object({
    model: z.string(),
    /** The accounts on this list pay the price. Version 1 had one list, `default`. */
    priceList: z.string(),
    price: priceVersion,
    /** The price is used for requests accepted from this moment on. */
    effectiveFrom: z.int().min(0),
    at: z.int().min(0),
  }),
  /** Withdraws a price that has never been in force: no request was ever accepted at it. */
  PriceWithdrawn: z.object({ version: z.string(), reason: freeText, at: z.int().min(0) }),
  /**
   * A price was wrong for the requests accepted from one moment to another. What is due for them
   * stands in the accounts, as adjustments of the same run.
   */
  PriceCorrected: z.object({ correction: priceCorrection, reason: freeText, at: z.int().min(0) }),
} as const

export type PricingEventType = keyof typeof pricingEventSchemas

export type PricingEvent = {
  [T in PricingEventType]: {
    readonly type: T
    readonly data: Readonly<z.output<(typeof pricingEventSchemas)[T]>>
  }
}[PricingEventType]
