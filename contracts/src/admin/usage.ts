/** What accounts used, for the operator: the same questions that their own keys can ask. */
import { z } from 'zod'
import { requestsExportQuery } from '../wire/exports.ts'
import {
  requestsAnswer,
  requestsFields,
  requestTotalsAnswer,
  requestTotalsFields,
} from '../wire/requests.ts'
import { usageAnswer, usageFields } from '../wire/usage.ts'
import { lineOperation, operation } from './declaration/declaration.ts'
import { id } from './declaration/fields.ts'

/** Every event of the log up to here is in the answer. */
const position = z.string()

export const usageOperations = {
  accountUsage: operation({
    method: 'GET',
    path: '/accounts/:account_id/usage',
    role: 'auditor',
    summary: 'What an account used, by time, key, model, format and class of tokens',
    recorded: ['account_id', 'from', 'to'],
    input: z.strictObject({ account_id: id, ...usageFields }),
    output: usageAnswer.extend({ position }),
  }),
  accountRequests: operation({
    method: 'GET',
    path: '/accounts/:account_id/requests',
    role: 'auditor',
    summary: 'Requests of an account, the newest first, by time, key, model, format and status',
    recorded: ['account_id', 'from', 'to'],
    input: z.strictObject({ account_id: id, ...requestsFields }),
    output: requestsAnswer.extend({ position }),
  }),
  accountRequestTotals: operation({
    method: 'GET',
    path: '/accounts/:account_id/requests/totals',
    role: 'auditor',
    summary: 'What all requests of such a list come to, by status',
    recorded: ['account_id', 'from', 'to'],
    input: z.strictObject({ account_id: id, ...requestTotalsFields }),
    output: requestTotalsAnswer.extend({ position }),
  }),
  exportRequests: lineOperation({
    method: 'GET',
    path: '/accounts/:account_id/exports/requests',
    role: 'auditor',
    summary: 'The requests of an account as a file, in pieces of text',
    recorded: ['account_id', 'from', 'to'],
    input: requestsExportQuery.extend({ account_id: id }),
    output: z.object({ text: z.string() }),
  }),
}
