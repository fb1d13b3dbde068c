/**
 * Money over an API key: `GET /v1/balance` and `GET /v1/requests/{id}`. Amounts are exact dollars.
 */
import { z } from 'zod'
import type { DeepReadonly } from '../deep-readonly.ts'
import { finishReason, latencies, promptSchedules, wireFormat } from '../events/account.ts'
import { tokenClasses, tokenCount } from '../tokens.ts'
import { dollars } from './dollars.ts'

export { dollars } from './dollars.ts'

/** The grants that an answer names; what comes behind them is in the total alone. */
export const EXPIRING_GRANTS_MAX = 10

const expiringCredit = z.object({
  /** What all grants that end one day have left, also those that are not named. */
  total: dollars,
  /** The next to expire first. */
  grants: z
    .array(
      z.object({
        grant_id: z.string(),
        /** A part of `settled`: it expires unless requests use it up before. */
        remaining: dollars,
        /** RFC 3339. It has passed where running requests still hold what is left. */
        expires_at: z.string(),
      }),
    )
    .max(EXPIRING_GRANTS_MAX),
})

export const balanceAnswer = z.object({
  object: z.literal('balance'),
  currency: z.literal('USD'),
  /** Grants less debits. */
  settled: dollars,
  /** The sum that running requests hold. */
  held: dollars,
  /** `settled - held`. */
  available: dollars,
  /** The part of `settled` that ends one day. */
  expiring: expiringCredit,
})
export type BalanceAnswer = z.output<typeof balanceAnswer>

const requestStatuses = ['running', 'finished', 'stopped', 'failed', 'abandoned'] as const
export const requestStatus = z.enum(requestStatuses)
export type RequestStatus = z.output<typeof requestStatus>

export const receipt = z.object({
  object: z.literal('request'),
  id: z.string(),
  status: requestStatus,
  /** The key that the request came with. */
  key_id: z.string(),
  /** The name that the key has now. */
  key_name: z.string().nullable(),
  format: wireFormat,
  model: z.string(),
  /** `input_tokens` is the uncached part: the three classes are disjoint. */
  usage: z.object({
    input_tokens: tokenCount,
    cached_input_tokens: tokenCount,
    output_tokens: tokenCount,
    reasoning_tokens: tokenCount,
  }),
  /** Dollars per million tokens, and the version that was pinned when the request was accepted. */
  price: z.object({
    version: z.string(),
    input: dollars,
    cached_input: dollars,
    output: dollars,
    /** The time when this version came into force; null while this process has not read it. */
    effective_from: z.string().nullable(),
  }),
  lines: z.array(
    z.object({
      class: z.enum(tokenClasses),
      tokens: tokenCount,
      /** Dollars per million tokens. */
      price: dollars,
      amount: dollars,
    }),
  ),
  amount: dollars,
  /** The sum that was held while the request ran. */
  hold: dollars,
  /** Settled balance after the debit; null while the request runs or when nothing was debited. */
  balance_after: dollars.nullable(),
  grants: z.array(z.object({ grant_id: z.string(), amount: dollars })),
  /** The part of the amount that was given back. */
  refunded: dollars,
  refunds: z.array(
    z.object({ refund_id: z.string(), amount: dollars, reason: z.string(), at: z.string() }),
  ),
  finish_reason: finishReason.nullable(),
  /** Why the charge is what it is, or why the request failed; null for a plain finish. */
  reason: z.string().nullable(),
  events: z.array(
    z.object({
      type: z.string(),
      stream: z.string(),
      revision: z.int().min(0),
      id: z.string(),
      hash: z.string(),
    }),
  ),
  /** Why tokens count as cached; null while the request runs, and for requests without a meter. */
  cache: z
    .object({
      /** The batches in which the prompt was computed; null where no worker said so. */
      schedule: z.enum(promptSchedules).nullable(),
      /** Leading prompt tokens that were not computed. */
      reused_tokens: tokenCount,
      /** Whole blocks of the cache among them. */
      blocks: tokenCount,
      /**
       * The tier that they came from: `l1` the worker's memory, `l2` Redis (the last of them, at
       * least).
       */
      source: z.enum(['none', 'l1', 'l2']),
      /** The name of the last of them, which depends on all tokens before. */
      last_block_hash: z.string().nullable(),
      /** Prompt tokens that the runtime's own counter saw computed. */
      evaluated_tokens: tokenCount,
      worker: z.string(),
    })
    .nullable(),
  timings: z.object({
    /** RFC 3339. */
    accepted_at: z.string(),
    ended_at: z.string().nullable(),
    worker: latencies.nullable(),
  }),
})
export type Receipt = DeepReadonly<z.output<typeof receipt>>
