/**
 * What a customer sees of one account. Where the public API answers the same question, the answer
 * is the same, made by the same handler: only who asks is told by the session, not by a key.
 */
import { z } from 'zod'
import { eventOrMovementId, id, idempotencyKey, moment, name } from '../admin/declaration/fields.ts'
import { spendPolicy } from '../events/account.ts'
import { balanceAnswer, dollars, receipt } from '../wire/billing.ts'
import {
  exportText,
  requestsExportQuery,
  statementExportQuery,
  usageExportQuery,
} from '../wire/exports.ts'
import { priceList } from '../wire/prices.ts'
import {
  requestsAnswer,
  requestsFields,
  requestTotalsAnswer,
  requestTotalsFields,
} from '../wire/requests.ts'
import { statementAnswer, statementQuery } from '../wire/statement.ts'
import { usageAnswer, usageFields } from '../wire/usage.ts'
import { ZONE_CHARACTERS_MAX } from '../zone.ts'
import { dashboardOperation } from './declaration.ts'

const account = { account_id: id }
const key = { ...account, key_id: id }
const DAY_SECONDS = 86_400
const OVERLAP_SECONDS_MAX = 30 * DAY_SECONDS

/** What an answer is up to at least: read before the views were asked. */
const asOf = z.object({
  /** The position of the last event of the account that the numbers hold; decimal text. */
  position: z.string(),
  at: z.string(),
})

const home = z.object({
  account_id: z.string(),
  name: z.string(),
  status: z.enum(['open', 'frozen', 'closed']),
  spend_policy: spendPolicy,
  balance: balanceAnswer,
  /** Requests that run now: what they hold is `balance.held`. */
  open_requests: z.int().min(0),
  keys: z.object({ active: z.int().min(0) }),
  /** Usage since the first of the month, in the zone that was asked for, a row for each day. */
  month: usageAnswer,
  /** The position up to which all of this is, at least. */
  as_of: asOf,
})

const dashboardKey = z.object({
  key_id: z.string(),
  name: z.string(),
  /** The last characters of the secret. */
  last_four: z.string(),
  status: z.enum(['active', 'expired', 'revoked']),
  /** Whether the dashboard's chat stands under this key, which nobody can send. */
  is_chat: z.boolean(),
  created_at: z.string(),
  /** The user who made it; null: whoever runs the service. */
  created_by: z.string().nullable(),
  expires_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
  /** The time when its last request was accepted; null means never. */
  last_used_at: z.string().nullable(),
  /** Both numbers are of all time. */
  requests: z.int().min(0),
  spent: dollars,
  /** Today and the 29 days before it, UTC. */
  spent_30_days: dollars,
})

const newKey = z.object({
  key_id: z.string(),
  /** The secret, which only this answer has. */
  secret: z.string(),
})

export const dashboardAccountOperations = {
  accountHome: dashboardOperation({
    method: 'GET',
    path: '/accounts/:account_id',
    access: 'member',
    summary: 'The numbers of the first page: balance, holds, this month by day',
    input: z.strictObject({
      ...account,
      zone: z.string().min(1, 'must not be empty').max(ZONE_CHARACTERS_MAX).default('UTC'),
    }),
    output: home,
  }),
  accountBalance: dashboardOperation({
    method: 'GET',
    path: '/accounts/:account_id/balance',
    access: 'member',
    summary: 'As `GET /v1/balance`, with what it is up to',
    input: z.strictObject(account),
    output: balanceAnswer.extend({ as_of: asOf }),
  }),
  usage: dashboardOperation({
    method: 'GET',
    path: '/accounts/:account_id/usage',
    access: 'member',
    summary: 'As `GET /v1/usage`, with what it is up to',
    input: z.strictObject({ ...account, ...usageFields }),
    output: usageAnswer.extend({ as_of: asOf }),
  }),
  requests: dashboardOperation({
    method: 'GET',
    path: '/accounts/:account_id/requests',
    access: 'member',
    summary: 'As `GET /v1/requests`, with what it is up to',
    input: z.strictObject({ ...account, ...requestsFields }),
    output: requestsAnswer.extend({ as_of: asOf }),
  }),
  requestTotals: dashboardOperation({
    method: 'GET',
    path: '/accounts/:account_id/requests/totals',
    access: 'member',
    summary: 'As `GET /v1/requests/totals`, with what it is up to',
    input: z.strictObject({ ...account, ...requestTotalsFields }),
    output: requestTotalsAnswer.extend({ as_of: asOf }),
  }),
  receipt: dashboardOperation({
    method: 'GET',
    path: '/accounts/:account_id/requests/:id',
    access: 'member',
    summary: 'As `GET /v1/requests/{id}`: by any id that an answer gave',
    input: z.strictObject({ ...account, id }),
    output: receipt,
  }),
  accountEvent: dashboardOperation({
    method: 'GET',
    path: '/accounts/:account_id/events/:event_id',
    access: 'member',
    summary:
      'Where an event of the account stands, by its id or by that of the movement that it made',
    input: z.strictObject({ ...account, event_id: eventOrMovementId }),
    output: z.object({
      type: z.string(),
      at: z.string(),
      /** Is null for an event that is of no request. */
      request_id: z.string().nullable(),
    }),
  }),
  accountStatement: dashboardOperation({
    method: 'GET',
    path: '/accounts/:account_id/statement',
    access: 'member',
    summary: 'As `GET /v1/statement`, with what it is up to',
    input: statementQuery.extend(account),
    output: statementAnswer.extend({ as_of: asOf }),
  }),
  exportStatement: dashboardOperation({
    method: 'GET',
    path: '/accounts/:account_id/exports/statement',
    access: 'member',
    summary: 'As `GET /v1/exports/statement`: a file',
    input: statementExportQuery.extend(account),
    output: exportText,
  }),
  exportRequests: dashboardOperation({
    method: 'GET',
    path: '/accounts/:account_id/exports/requests',
    access: 'member',
    summary: 'As `GET /v1/exports/requests`: a file',
    input: requestsExportQuery.extend(account),
    output: exportText,
  }),
  exportUsage: dashboardOperation({
    method: 'GET',
    path: '/accounts/:account_id/exports/usage',
    access: 'member',
    summary: 'As `GET /v1/exports/usage`: a file',
    input: usageExportQuery.extend(account),
    output: exportText,
  }),
  prices: dashboardOperation({
    method: 'GET',
    path: '/accounts/:account_id/prices',
    access: 'member',
    summary: 'As `GET /v1/prices`, for the price list of the account',
    input: z.strictObject(account),
    output: priceList,
  }),
  listAccountKeys: dashboardOperation({
    method: 'GET',
    path: '/accounts/:account_id/keys',
    access: 'member',
    summary: 'The keys of an account, the newest first, with what they spent',
    input: z.strictObject(account),
    output: z.array(dashboardKey),
  }),
  createAccountKey: dashboardOperation({
    method: 'POST',
    path: '/accounts/:account_id/keys',
    access: 'owner',
    summary: 'Make a key; its secret is in this answer only',
    input: z.strictObject({
      ...account,
      name,
      expires_at: moment.nullable().default(null),
      /**
       * Guards against a second key: when the request is sent again with the same idempotency key,
       * the answer is a `conflict`.
       */
      idempotency_key: idempotencyKey.optional(),
    }),
    output: newKey,
  }),
  renameAccountKey: dashboardOperation({
    method: 'POST',
    path: '/accounts/:account_id/keys/:key_id/rename',
    access: 'owner',
    summary: 'Give a key another name',
    input: z.strictObject({ ...key, name }),
    output: z.object({ changed: z.boolean() }),
  }),
  revokeAccountKey: dashboardOperation({
    method: 'POST',
    path: '/accounts/:account_id/keys/:key_id/revoke',
    access: 'owner',
    summary: 'End a key at once and for ever',
    input: z.strictObject(key),
    output: z.object({
      revoked_at: z.string(),
      /** Whether it had been revoked before: it then stays revoked since that time. */
      already_revoked: z.boolean(),
    }),
  }),
  rotateAccountKey: dashboardOperation({
    method: 'POST',
    path: '/accounts/:account_id/keys/:key_id/rotate',
    access: 'owner',
    summary: 'Make a key of the same name, and let the old one end after an overlap',
    input: z.strictObject({
      ...key,
      /** The time that both keys work; 0 ends the old one at once. */
      overlap_seconds: z.int().min(0).max(OVERLAP_SECONDS_MAX),
      /**
       * Guards against a second key: when the request is sent again with the same idempotency key,
       * the answer is a `conflict`.
       */
      idempotency_key: idempotencyKey.optional(),
    }),
    output: newKey.extend({
      /** The time when the old key ends. */
      old_key_ends_at: z.string(),
    }),
  }),
}
