/** What finance asks for at the end of a month. */
import { z } from 'zod'
import { dollars } from '../wire/billing.ts'
import { operation, type Shown } from './declaration.ts'

const ZONE_CHARACTERS_MAX = 100

/**
 * `opening + payments + promotional − used − expired − refunded + corrected = closing`, of every
 * customer and of all together.
 */
const monthSums = z.object({
  /** Settled balance before the first moment of the month. */
  opening: dollars,
  payments: dollars,
  promotional: dollars,
  used: dollars,
  expired: dollars,
  /** What was paid out; below zero for charges that were given back as credit. */
  refunded: dollars,
  /** Adjustments, voided grants and write-offs: above zero when the customer gained. */
  corrected: dollars,
  closing: dollars,
})
export type MonthSums = Shown<typeof monthSums>

const monthCustomer = monthSums.extend({
  account_id: z.string(),
  /** In the operator's own system. */
  external_id: z.string().nullable(),
  name: z.string(),
})
export type MonthCustomer = Shown<typeof monthCustomer>

const monthReport = z.object({
  month: z.string(),
  zone: z.string(),
  currency: z.literal('USD'),
  /** Of the last event in the sums: the same question at the same position has the same answer. */
  position: z.string(),
  /** RFC 3339, as clocks in the zone show it. */
  from: z.string(),
  to: z.string(),
  /** Every account that was opened before the month was over, the oldest first. */
  customers: z.array(monthCustomer),
  totals: monthSums,
})
export type MonthReport = Shown<typeof monthReport>

export const financeOperations = {
  month: operation({
    method: 'GET',
    path: '/months/:month',
    role: 'auditor',
    recorded: ['month'],
    summary: 'What moved the balances of all customers in a month of a time zone',
    input: z.strictObject({
      /** Such as `2026-10`. */
      month: z.string().regex(/^\d{4}-\d{2}$/, 'must be a month such as 2026-10'),
      zone: z.string().min(1).max(ZONE_CHARACTERS_MAX).default('UTC'),
    }),
    output: monthReport,
  }),
}
