/**
 * The operations that finance needs at the end of a month: what moved, and whether the books add
 * up.
 */
import { z } from 'zod'
import { bookAccounts } from '../ledger/postings.ts'
import { dollars } from '../wire/billing.ts'
import { ZONE_CHARACTERS_MAX } from '../zone.ts'
import { lineOperation, operation, type Shown } from './declaration/declaration.ts'
import { count, nothing } from './declaration/fields.ts'

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
  /** The sum that was paid out; below zero for charges that were given back as credit. */
  refunded: dollars,
  /** Adjustments, voided grants and write-offs: above zero when the customer gained. */
  corrected: dollars,
  closing: dollars,
})
export type MonthSums = Shown<typeof monthSums>
/** The amounts in the order in which they are added up. */
export const monthAmounts = monthSums.keyof().options

const monthCustomer = monthSums.extend({
  account_id: z.string(),
  /** The account's id in the operator's own system. */
  external_id: z.string().nullable(),
  name: z.string(),
})
export type MonthCustomer = Shown<typeof monthCustomer>

const monthReport = z.object({
  month: z.string(),
  zone: z.string(),
  currency: z.literal('USD'),
  /**
   * The position of the last event in the sums: the same question at the same position has the same
   * answer.
   */
  position: z.string(),
  /** RFC 3339, as clocks in the zone show it. */
  from: z.string(),
  to: z.string(),
  /**
   * Whether the month is over, by the server's clock. While it is not, or is still to come, its
   * sums go on changing.
   */
  over: z.boolean(),
  /**
   * Every account that was opened before the month was over, the oldest first; of those that were
   * opened later the ones whose balance moved before, by the clock of another gateway.
   */
  customers: z.array(monthCustomer),
  totals: monthSums,
})
export type MonthReport = Shown<typeof monthReport>

/**
 *     meters    worker meters = metered
 *     debits    metered × pinned price = debited
 *     balances  grants − debits ± corrections = balance = full replay
 *     postings  of every event in balance, the trial balance zero
 *     views     = log
 */
export const equationNames = ['meters', 'debits', 'balances', 'postings', 'views'] as const
const equationName = z.enum(equationNames)
export type EquationName = z.output<typeof equationName>

/** Tokens of `meters`, rows of `views`, exact dollars of the others: never below zero. */
const difference = z.string().regex(/^\d+(\.\d{2,12})?$/)

const reconcileFinding = z.object({
  equation: equationName,
  /** The event, the account or the view. */
  subject: z.string(),
  problem: z.string(),
  difference,
})
export type ReconcileFinding = Shown<typeof reconcileFinding>

const reconcileProgress = z.object({
  type: z.literal('progress'),
  /** `log`, or the name of a view. */
  part: z.string(),
  /** The share of the whole work that is done, 0 to 1. */
  share: z.number(),
  /** The number of events that the part has done. */
  events: count,
  /** Events per second. */
  rate: z.number(),
})
export type ReconcileProgress = Shown<typeof reconcileProgress>

const reconcileResult = z.object({
  type: z.literal('result'),
  equations: z.array(z.object({ name: equationName, ok: z.boolean(), difference })),
  /** Whether all equations are true. */
  ok: z.boolean(),
  /** The first hundred places where an equation is false. */
  findings: z.array(reconcileFinding),
  /** Debits less credits of each account of the books, over all customers. They sum to zero. */
  trial_balance: z.array(z.object({ account: z.enum(bookAccounts), balance: dollars })),
  events: count,
  accounts: count,
  /** The position of the last event that was looked at in the log. */
  position: z.string(),
})
export type ReconcileResult = Shown<typeof reconcileResult>

export const financeOperations = {
  month: operation({
    method: 'GET',
    path: '/months/:month',
    role: 'auditor',
    recorded: ['month'],
    summary: 'What moved the balances of all customers in a month of a time zone',
    input: z.strictObject({
      /** A month such as `2026-10`. */
      month: z.string().regex(/^\d{4}-\d{2}$/, 'must be a month such as 2026-10'),
      zone: z.string().min(1, 'must not be empty').max(ZONE_CHARACTERS_MAX).default('UTC'),
    }),
    output: monthReport,
  }),
  reconcile: lineOperation({
    method: 'POST',
    path: '/reconcile',
    role: 'auditor',
    summary: 'Hold meters, debits, balances, postings and views against each other',
    input: nothing,
    output: z.discriminatedUnion('type', [reconcileProgress, reconcileResult]),
  }),
}
