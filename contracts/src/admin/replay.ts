/** The past as the log has it: balances and statements as they were, views as they should be. */
import { z } from 'zod'
import { dollars } from '../wire/billing.ts'
import { statementEntry } from '../wire/statement.ts'
import { accountDetails, accountSummary } from './accounts.ts'
import { lineOperation, type Shown } from './declaration/declaration.ts'
import { count, id, nothing } from './declaration/fields.ts'

const PLACE_CHARACTERS_MAX = 40

const progress = z.object({
  type: z.literal('progress'),
  /** `log`, `views`, or the name of a view. */
  part: z.string(),
  /** The share of the whole work that is done, 0 to 1. */
  share: z.number(),
  events: count,
  /** Events per second. */
  rate: z.number(),
})
export type ReplayProgress = Shown<typeof progress>

const replayedAccount = z.object({ type: z.literal('account'), account: accountSummary })
export type ReplayedAccount = Shown<typeof replayedAccount>

const replayedEntry = z.object({ type: z.literal('entry'), entry: statementEntry })
export type ReplayedEntry = Shown<typeof replayedEntry>

const replayResult = z.object({
  type: z.literal('result'),
  /**
   * The position of the last event that counts: the same question with it has the same answer, for
   * ever.
   */
  position: z.string(),
  /** Events that were folded. */
  events: count,
  /** The totals of the accounts above, or of the one that was asked for. */
  totals: z.object({ accounts: count, settled: dollars, held: dollars }),
  /** The one that was asked for; null for all. */
  account: accountDetails.nullable(),
})
export type ReplayResult = Shown<typeof replayResult>

/** A column of a row in the storage format of its view. */
const columns = z.record(z.string(), z.union([z.string(), z.number(), z.null()]))

const rowDifference = z.object({
  view: z.string(),
  table: z.string(),
  /** The columns of the primary key. */
  key: columns,
  /** The columns that differ; null where the row is not there. */
  live: columns.nullable(),
  replayed: columns.nullable(),
})
export type ShownRowDifference = Shown<typeof rowDifference>

const compareResult = z.object({
  type: z.literal('result'),
  views: z.array(
    z.object({
      name: z.string(),
      events: count,
      /** Rows that differ. */
      differences: count,
    }),
  ),
  /** Whether no row differs. */
  same: z.boolean(),
  /** The first hundred rows of each view that differ. */
  first: z.array(rowDifference),
})
export type CompareResult = Shown<typeof compareResult>

export const replayOperations = {
  replay: lineOperation({
    method: 'POST',
    path: '/replay',
    role: 'auditor',
    summary: 'Balances, or one account and its statement, as they were at a time or a position',
    recorded: ['account_id', 'to'],
    input: z.strictObject({
      /** A position, that one included; or a moment in RFC 3339: what happened before it. */
      to: z.string().min(1, 'must not be empty').max(PLACE_CHARACTERS_MAX),
      /** Asks for this account alone. */
      account_id: id.optional(),
      /** Asks for the entries of the statement too. */
      statement: z.boolean().default(false),
    }),
    /** Accounts or entries behind the progress, and then the result. */
    output: z.discriminatedUnion('type', [progress, replayedAccount, replayedEntry, replayResult]),
  }),
  compareViews: lineOperation({
    method: 'POST',
    path: '/replay/compare',
    role: 'auditor',
    summary: 'Make all views anew from the log, and name the rows in which the live ones differ',
    recorded: [],
    input: nothing,
    output: z.discriminatedUnion('type', [progress, compareResult]),
  }),
}
