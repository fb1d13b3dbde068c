/** The requests of an account: `GET /v1/requests`. Amounts are exact dollars. */
import { z } from 'zod'
import type { DeepReadonly } from '../deep-readonly.ts'
import { wireFormat } from '../events/account.ts'
import { dollars, receipt, requestStatus } from './billing.ts'
import { askedFields } from './usage.ts'

const REQUESTS_MAX = 100
const REQUESTS_DEFAULT = 20

/** What is asked of requests, in a query or on the command line. */
export const requestsFields = {
  ...askedFields,
  status: requestStatus.optional(),
  limit: z.coerce.number<number>().pipe(z.int().min(1).max(REQUESTS_MAX)).default(REQUESTS_DEFAULT),
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
      /** RFC 3339: when it came in, which is what `from` and `to` are about. */
      created_at: z.string(),
      ended_at: z.string().nullable(),
      finish_reason: receipt.shape.finish_reason,
      reason: z.string().nullable(),
      /** From when the worker took it, in milliseconds; null where it got none, or has no meter. */
      first_token_ms: z.number().min(0).nullable(),
      total_ms: z.number().min(0).nullable(),
    }),
  ),
  has_more: z.boolean(),
  /** Null on the last page. */
  next_cursor: z.string().nullable(),
})
export type RequestsAnswer = DeepReadonly<z.output<typeof requestsAnswer>>
