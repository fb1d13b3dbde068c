/** What accounts used, for the operator: the same questions that their own keys can ask. */
import { z } from 'zod'
import { requestsAnswer, requestsFields } from '../wire/requests.ts'
import { usageAnswer, usageFields } from '../wire/usage.ts'
import { operation } from './declaration/declaration.ts'
import { id } from './declaration/fields.ts'

export const usageOperations = {
  accountUsage: operation({
    method: 'GET',
    path: '/accounts/:account_id/usage',
    role: 'auditor',
    summary: 'What an account used, by time, key, model, format and class of tokens',
    recorded: ['account_id', 'from', 'to'],
    input: z.strictObject({ account_id: id, ...usageFields }),
    output: usageAnswer,
  }),
  accountRequests: operation({
    method: 'GET',
    path: '/accounts/:account_id/requests',
    role: 'auditor',
    summary: 'Requests of an account, the newest first, by time, key, model, format and status',
    recorded: ['account_id', 'from', 'to'],
    input: z.strictObject({ account_id: id, ...requestsFields }),
    output: requestsAnswer,
  }),
}
