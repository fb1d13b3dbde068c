/** Prices: published, announced, withdrawn, and who pays which. Dollars per million tokens. */
import { z } from 'zod'
import { priceListName } from '../price.ts'
import { dollars } from '../wire/billing.ts'
import { operation, type Shown } from './declaration/declaration.ts'
import { amount, id, idempotencyKey, moment, name, nothing, reason } from './declaration/fields.ts'

const rates = { input: dollars, cached_input: dollars, output: dollars }

const priceDetails = z.object({
  version: z.string(),
  model: z.string(),
  /** The accounts on this list pay the price. */
  price_list: z.string(),
  /** The price that a first start published: the bundled model alone is sold at it. */
  demo: z.boolean(),
  ...rates,
  effective_from: z.string(),
  published_at: z.string(),
  /** The time when it was withdrawn, before it ever took effect; else null. */
  withdrawn_at: z.string().nullable(),
})
export type PriceDetails = Shown<typeof priceDetails>

const newPrice = {
  model: name,
  /** Default: `default`, the list of accounts that are on no other. */
  price_list: priceListName.optional(),
  input: amount,
  cached_input: amount,
  output: amount,
  /** A moment that is not past; null means now. */
  effective_from: moment.nullable(),
}

const pricePreview = z.object({
  model: z.string(),
  price_list: z.string(),
  ...rates,
  effective_from: z.string(),
  /**
   * The price that accounts on the list would pay at that moment without it. Null means that
   * nothing is sold then.
   */
  replaces: priceDetails.nullable(),
  /** The announced price of the list that takes its place; null where none is announced. */
  replaced_by: priceDetails.nullable(),
  /** The rates that look like a mistake, each in one line: then publishing asks for `confirm`. */
  doubts: z.array(z.string()),
})
export type PricePreview = Shown<typeof pricePreview>

export const priceOperations = {
  publishPrice: operation({
    method: 'POST',
    path: '/prices',
    role: 'operator',
    summary: 'Publish a price; requests accepted before it takes force keep theirs',
    input: z.strictObject({
      ...newPrice,
      /** Says that a price without any rate, or one tenfold different, is meant as it is. */
      confirm: z.boolean().optional(),
      /**
       * The version of the price that it was reviewed beside, or null: nothing was sold then. When
       * it would replace another one by now, nothing is published. Default: whichever it is.
       */
      replaces: id.nullable().optional(),
      idempotency_key: idempotencyKey.optional(),
    }),
    /**
     * `created` is false when the same key had published it before; it is shown as it stands now.
     */
    output: priceDetails.extend({ created: z.boolean() }),
  }),
  previewPrice: operation({
    method: 'POST',
    path: '/prices/preview',
    role: 'auditor',
    summary: 'What publishing a price would change, or why it is refused; nothing is written',
    input: z.strictObject(newPrice),
    output: pricePreview,
  }),
  withdrawPrice: operation({
    method: 'POST',
    path: '/prices/:version/withdraw',
    role: 'operator',
    summary: 'Take back a price, until a minute before it takes effect',
    repeat: 'A price that was withdrawn stays so since then, and `already_withdrawn` says it.',
    input: z.strictObject({ version: id, reason }),
    output: priceDetails.extend({
      /** Whether it had been withdrawn before: it then stays withdrawn since that time. */
      already_withdrawn: z.boolean(),
    }),
  }),
  setPriceList: operation({
    method: 'POST',
    path: '/accounts/:account_id/price-list',
    role: 'operator',
    summary: 'Have an account pay the prices of a list from now on',
    repeat: 'An account that is on the list stays on it: `changed` is false.',
    input: z.strictObject({ account_id: id, price_list: priceListName }),
    output: z.object({
      account_id: z.string(),
      price_list: z.string(),
      /** False when it was on the list already. */
      changed: z.boolean(),
      /**
       * The time when the first price of the list takes effect that counts for what is served;
       * until then the account pays what `default` says. Null when the list has one in force, or
       * none at all.
       */
      starts_at: z.string().nullable(),
    }),
  }),
  listPrices: operation({
    method: 'GET',
    path: '/prices',
    role: 'auditor',
    summary: 'All prices ever published',
    input: nothing,
    output: z.array(priceDetails),
  }),
}
