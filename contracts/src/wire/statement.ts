/** A statement: every movement of an account, with the balance after it. Exact dollars. */
import { z } from 'zod'
import type { DeepReadonly } from '../deep-readonly.ts'
import { wireFormat } from '../events/account.ts'
import { queryNumber } from '../input/query-number.ts'
import { tokenCount } from '../tokens.ts'
import { dollars } from './billing.ts'
import { askedFields, periodOver } from './usage.ts'

const ENTRIES_MAX = 1_000
const ENTRIES_DEFAULT = 100
const orders = ['oldest', 'newest'] as const
export type StatementOrder = (typeof orders)[number]

export const statementEntry = z.object({
  entry: z.int().min(1),
  at: z.string(),
  type: z.enum(['grant', 'usage', 'expiry', 'void', 'refund', 'adjustment', 'closing']),
  reference: z.string(),
  /** The reference of the payment behind a grant; null where there is none. */
  payment_reference: z.string().nullable(),
  description: z.string(),
  debit: dollars,
  credit: dollars,
  balance: dollars,
  /** The key of usage; like the four below it, null elsewhere. */
  key: z.object({ id: z.string(), name: z.string().nullable() }).nullable(),
  model: z.string().nullable(),
  format: wireFormat.nullable(),
  tokens: z.object({ input: tokenCount, cached_input: tokenCount, output: tokenCount }).nullable(),
  price_version: z.string().nullable(),
  /** Debit or credit is made of these three: paid credit, promotional credit, and no credit. */
  paid: dollars,
  promotional: dollars,
  unpaid: dollars,
  /** The actor that caused the entry, and why; null for usage, which the key asked for. */
  actor: z.string().nullable(),
  reason: z.string().nullable(),
  event: z.object({ stream: z.string(), revision: z.int().min(0), hash: z.string() }),
})
export type StatementEntry = DeepReadonly<z.output<typeof statementEntry>>

const { from, to, zone, cursor } = askedFields

export const statementQuery = z.strictObject({
  from,
  to,
  zone,
  cursor,
  /** Which entry comes first. */
  order: z.enum(orders).default('oldest'),
  limit: queryNumber(z.int().min(1).max(ENTRIES_MAX)).default(ENTRIES_DEFAULT),
})
export type StatementQueryFields = z.output<typeof statementQuery>

export const statementAnswer = z.object({
  object: z.literal('statement'),
  currency: z.literal('USD'),
  /** Balance before the oldest entry of the page: opening + entries = closing. */
  opening: dollars,
  closing: dollars,
  over: periodOver,
  /** In the order that was asked for. */
  data: z.array(statementEntry.omit({ actor: true })),
  has_more: z.boolean(),
  /** Is null on the last page. */
  next_cursor: z.string().nullable(),
})
export type StatementAnswer = DeepReadonly<z.output<typeof statementAnswer>>
