/** Prices, statements, and why a request cost what it cost. */
import { z } from 'zod'
import { dollars, receipt } from '../wire/billing.ts'
import {
  amount,
  entryNumber,
  id,
  moment,
  name,
  nothing,
  operation,
  pageLimit,
  type Shown,
} from './declaration.ts'

const priceDetails = z.object({
  version: z.string(),
  model: z.string(),
  /** The price that a first start published: the bundled model alone is sold at it. */
  demo: z.boolean(),
  /** Dollars per million tokens, here and below. */
  input: dollars,
  cached_input: dollars,
  output: dollars,
  effective_from: z.string(),
  published_at: z.string(),
})
export type PriceDetails = Shown<typeof priceDetails>

const statementEntry = z.object({
  entry: z.int().min(1),
  at: z.string(),
  type: z.enum(['grant', 'usage', 'expiry']),
  reference: z.string(),
  /** Of the payment behind a grant; null where there is none. */
  payment_reference: z.string().nullable(),
  description: z.string(),
  debit: dollars,
  credit: dollars,
  balance: dollars,
  event: z.object({ stream: z.string(), revision: z.int().min(0), hash: z.string() }),
})
export type StatementEntry = Shown<typeof statementEntry>

const statementPage = z.object({
  account_id: z.string(),
  opening: dollars,
  closing: dollars,
  rows: z.array(statementEntry),
  more: z.boolean(),
})
export type StatementPage = Shown<typeof statementPage>

const explanation = receipt.extend({ account_id: z.string() })

export const billingOperations = {
  publishPrice: operation({
    method: 'POST',
    path: '/prices',
    role: 'operator',
    summary: 'Publish a price; requests accepted before it takes force keep theirs',
    input: z.strictObject({
      model: name,
      input: amount,
      cached_input: amount,
      output: amount,
      /** Not before now; null: now. */
      effective_from: moment.nullable(),
    }),
    output: priceDetails,
  }),
  listPrices: operation({
    method: 'GET',
    path: '/prices',
    role: 'auditor',
    summary: 'All prices ever published',
    input: nothing,
    output: z.array(priceDetails),
  }),
  statement: operation({
    method: 'GET',
    path: '/accounts/:account_id/statement',
    role: 'auditor',
    summary: 'Every movement of an account, with the balance after it',
    input: z.strictObject({
      account_id: id,
      from: moment.optional(),
      to: moment.optional(),
      after: entryNumber.optional(),
      limit: pageLimit,
    }),
    output: statementPage,
  }),
  explain: operation({
    method: 'GET',
    path: '/requests/:request_id',
    role: 'auditor',
    summary: 'Why a request cost what it cost: its receipt, for the operator',
    input: z.strictObject({ request_id: id }),
    output: explanation,
  }),
}
