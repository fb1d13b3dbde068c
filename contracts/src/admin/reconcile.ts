/** The books of all accounts, held against each other. */
import { z } from 'zod'
import { bookAccounts } from '../ledger/postings.ts'
import { dollars } from '../wire/dollars.ts'
import { count, lineOperation, nothing, type Shown } from './declaration.ts'

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

const finding = z.object({
  equation: equationName,
  /** The event, the account or the view. */
  subject: z.string(),
  problem: z.string(),
  difference,
})
export type ReconcileFinding = Shown<typeof finding>

const progress = z.object({
  type: z.literal('progress'),
  /** `log`, or the name of a view. */
  part: z.string(),
  /** Of the whole work, 0 to 1. */
  share: z.number(),
  /** Of the part. */
  events: count,
  /** Events per second. */
  rate: z.number(),
})
export type ReconcileProgress = Shown<typeof progress>

const result = z.object({
  type: z.literal('result'),
  equations: z.array(z.object({ name: equationName, ok: z.boolean(), difference })),
  /** Whether all are. */
  ok: z.boolean(),
  /** Where they are false: the first hundred. */
  findings: z.array(finding),
  /** Debits less credits of each account of the books, over all customers. They sum to zero. */
  trial_balance: z.array(z.object({ account: z.enum(bookAccounts), balance: dollars })),
  events: count,
  accounts: count,
  /** Of the last event that was looked at in the log. */
  position: z.string(),
})
export type ReconcileResult = Shown<typeof result>

export const reconcileOperations = {
  reconcile: lineOperation({
    method: 'POST',
    path: '/reconcile',
    role: 'auditor',
    summary: 'Hold meters, debits, balances, postings and views against each other',
    input: nothing,
    output: z.discriminatedUnion('type', [progress, result]),
  }),
}
