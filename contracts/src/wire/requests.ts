/**
 * The requests of an account: `GET /v1/requests`, and what they come to: `GET /v1/requests/totals`.
 * Amounts are exact dollars.
 */
import { z } from 'zod'
import type { DeepReadonly } from '../deep-readonly.ts'
import { wireFormat } from '../events/account.ts'
import { queryNumber } from '../input/query-number.ts'
import { tokenCount } from '../tokens.ts'
import { dollars, receipt, requestStatus } from './billing.ts'
import { askedFields, periodOver } from './usage.ts'

const REQUESTS_MAX = 100
const REQUESTS_DEFAULT = 20

/** The fields that a question about requests has, in a query or on the command line. */
export const requestsFields = {
  ...askedFields,
  status: requestStatus.optional(),
  limit: queryNumber(z.int().min(1).max(REQUESTS_MAX)).default(REQUESTS_DEFAULT),
}
export const requestsQuery = z.strictObject(requestsFields)
export type RequestsQueryFields = z.output<typeof requestsQuery>

export const requestsAnswer = z.object({
  object: z.literal('list'),
  /** The newest first. */
  data: z.array(
    z.object({
      object: z.literal('request'),
      id: z.string(),
      status: requestStatus,
      key: z.object({ id: z.string(), name: z.string().nullable() }),
      model: z.string(),
      format: wireFormat,
      usage: receipt.shape.usage,
      price_version: z.string(),
      amount: dollars,
      refunded: receipt.shape.refunded,
      /** RFC 3339: when it came in, which is what `from` and `to` are about. */
      created_at: z.string(),
      ended_at: z.string().nullable(),
      finish_reason: receipt.shape.finish_reason,
      reason: z.string().nullable(),
      /**
       * The time from when the worker took it, in milliseconds; null where it got none, or has no
       * meter.
       */
      first_token_ms: z.number().min(0).nullable(),
      total_ms: z.number().min(0).nullable(),
    }),
  ),
  has_more: z.boolean(),
  /** Is null on the last page. */
  next_cursor: z.string().nullable(),
})
export type RequestsAnswer = DeepReadonly<z.output<typeof requestsAnswer>>

const { cursor: _cursor, limit: _limit, ...listed } = requestsFields
/** The same question, of all that is listed; a period begins and ends on a quarter of an hour. */
export const requestTotalsFields = listed
export const requestTotalsQuery = z.strictObject(requestTotalsFields)
export type RequestTotalsQueryFields = z.output<typeof requestTotalsQuery>

const requestTotal = {
  requests: z.int().min(0).describe('Requests of the list, charged or not.'),
  /** The three classes are disjoint. */
  input_tokens: tokenCount,
  cached_input_tokens: tokenCount,
  output_tokens: tokenCount,
  amount: dollars,
}

export const requestTotalsAnswer = z.object({
  object: z.literal('request_totals'),
  currency: z.literal('USD'),
  zone: z.string(),
  /** RFC 3339 as clocks in the zone show it; null: without this edge. */
  from: z.string().nullable(),
  to: z.string().nullable(),
  over: periodOver.describe(
    "Whether the period is over, by the server's clock, and none of its requests runs any more: " +
      'before, its figures go on changing.',
  ),
  /** The totals of each status that there is. */
  data: z.array(z.object({ status: requestStatus, ...requestTotal })),
  /** The sum of them. */
  total: z.object(requestTotal),
})
export type RequestTotalsAnswer = DeepReadonly<z.output<typeof requestTotalsAnswer>>
