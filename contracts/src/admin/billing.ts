/** Statements, why a request cost what it cost, and why it was refused. */
import { z } from 'zod'
import { wireFormat } from '../events/account.ts'
import { dollars, receipt } from '../wire/billing.ts'
import { statementEntry } from '../wire/statement.ts'
import { operation, type Shown } from './declaration/declaration.ts'
import { entryNumber, id, moment, pageLimit } from './declaration/fields.ts'

const statementPage = z.object({
  account_id: z.string(),
  /** Every event of the log up to here is in it. */
  position: z.string(),
  opening: dollars,
  closing: dollars,
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
    recorded: ['request_id'],
    input: z.strictObject({ request_id: id }),
    output: explanation,
  }),
  explainRefusal: operation({
    method: 'GET',
    path: '/refused-requests/:request_id',
    role: 'auditor',
    summary: 'Why a request was refused, for thirty days',
    recorded: ['request_id'],
    input: z.strictObject({ request_id: id }),
    output: refusal,
  }),
}
