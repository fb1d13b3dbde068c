/** Statements, why a request cost what it cost, and why it was refused. */
import { z } from 'zod'
import { wireFormat } from '../events/account.ts'
import { dollars, receipt } from '../wire/billing.ts'
import { statementExportQuery } from '../wire/exports.ts'
import { statementEntry, statementQuery } from '../wire/statement.ts'
import { periodOver } from '../wire/usage.ts'
import { lineOperation, operation, type Shown } from './declaration/declaration.ts'
import { entryNumber, id, pageLimit, requestId } from './declaration/fields.ts'

const statementPage = z.object({
  account_id: z.string(),
  /** Every event of the log up to here is in it. */
  position: z.string(),
  opening: dollars,
  closing: dollars,
  over: periodOver,
  rows: z.array(statementEntry),
  more: z.boolean(),
})
export type StatementPage = Shown<typeof statementPage>

const explanation = receipt.extend({ account_id: z.string() })

const refusal = z.object({
  id: z.string(),
  refused_at: z.string(),
  /** Is null without a valid key. */
  account_id: z.string().nullable(),
  key_id: z.string().nullable(),
  format: wireFormat,
  /** Is null when the request was refused before its body was read. */
  model: z.string().nullable(),
  status: z.int(),
  code: z.string(),
  /** What the code means. */
  meaning: z.string(),
  /** The message that the caller was told; null where that may quote the request. */
  message: z.string().nullable(),
})
export type RefusalDetails = Shown<typeof refusal>

export const billingOperations = {
  statement: operation({
    method: 'GET',
    path: '/accounts/:account_id/statement',
    role: 'auditor',
    summary: 'Every movement of an account, with the balance after it',
    recorded: ['account_id', 'from', 'to'],
    input: statementQuery
      .pick({ from: true, to: true, zone: true, order: true })
      .extend({ account_id: id, after: entryNumber.optional(), limit: pageLimit }),
    output: statementPage,
  }),
  exportStatement: lineOperation({
    method: 'GET',
    path: '/accounts/:account_id/exports/statement',
    role: 'auditor',
    summary: 'The statement of an account as a file, in pieces of text',
    recorded: ['account_id', 'from', 'to'],
    input: statementExportQuery.extend({ account_id: id }),
    output: z.object({ text: z.string() }),
  }),
  explain: operation({
    method: 'GET',
    path: '/requests/:request_id',
    role: 'auditor',
    summary: 'Why a request cost what it cost: its receipt, for the operator',
    recorded: ['request_id'],
    input: z.strictObject({ request_id: requestId }),
    output: explanation,
  }),
  explainRefusal: operation({
    method: 'GET',
    path: '/refused-requests/:request_id',
    role: 'auditor',
    summary: 'Why a request was refused, for thirty days',
    recorded: ['request_id'],
    input: z.strictObject({ request_id: requestId }),
    output: refusal,
  }),
}
