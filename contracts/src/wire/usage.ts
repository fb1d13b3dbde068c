/**
 * What an account used, over an API key or for the operator: `GET /v1/usage`, `GET /v1/key`.
 * Amounts are exact dollars.
 */
import { z } from 'zod'
import type { DeepReadonly } from '../deep-readonly.ts'
import { wireFormat } from '../events/account.ts'
import { queryNumber } from '../input/query-number.ts'
import { tokenClasses } from '../tokens.ts'
import { timeSteps } from '../zone.ts'
import { dollars } from './billing.ts'
import { cursor } from './cursor.ts'

const WORD_CHARACTERS_MAX = 100
/** Steps of time on a page. */
const USAGE_STEPS_MAX = 1_000
const USAGE_STEPS_DEFAULT = 100

const usageGroups = ['key', 'model', 'format', 'class'] as const
export type UsageGroup = (typeof usageGroups)[number]

const word = z.string().min(1, 'must not be empty').max(WORD_CHARACTERS_MAX)
/** A day in the zone that is asked about, or a moment. */
const dayOrMoment = z.union([z.iso.date(), z.iso.datetime({ offset: true })], {
  error: 'must be a day such as 2026-11-01, or a time such as 2026-11-01T00:00:00Z',
})
const zoneName = word.default('UTC')

const groups = z
  .string()
  .max(WORD_CHARACTERS_MAX)
  .transform((text) => text.split(',').map((each) => each.trim()))
  .refine(
    (given) => given.every((each) => usageGroups.some((group) => group === each)),
    `must be some of ${usageGroups.join(', ')}, with commas`,
  )
  .transform((given) => usageGroups.filter((group) => given.includes(group)))

/** Tells programs that read a period which is not over that they have to ask again. */
export const periodOver = z
  .boolean()
  .describe(
    "Whether the period is over, by the server's clock: before, its figures go on changing.",
  )

/** The fields that every question about an account may have. */
export const askedFields = {
  /** The beginning, which is included. */
  from: dayOrMoment.optional(),
  /** The end, which is not included. */
  to: dayOrMoment.optional(),
  /** A zone of the tz database, such as `Europe/Berlin`. */
  zone: zoneName,
  key_id: word.optional(),
  model: word.optional(),
  format: wireFormat.optional(),
  cursor: cursor.optional(),
}

/**
 * The fields that a question about usage has, in a query or on the command line. By default it is
 * about today and the 29 days before.
 */
export const usageFields = {
  ...askedFields,
  by: z.enum(timeSteps).default('day'),
  /** Names some of `key`, `model`, `format` and `class`, with commas between them. */
  group_by: groups.optional(),
  /** Steps of time on a page. */
  limit: queryNumber(z.int().min(1).max(USAGE_STEPS_MAX)).default(USAGE_STEPS_DEFAULT),
}
export const usageQuery = z.strictObject(usageFields)
export type UsageQueryFields = z.output<typeof usageQuery>

const used = {
  /** Requests that were charged; null where a request is in several rows. */
  requests: z.int().min(0).nullable(),
  lines: z.array(
    z.object({ class: z.enum(tokenClasses), tokens: z.int().min(0), amount: dollars }),
  ),
  amount: dollars,
}

export const usageAnswer = z.object({
  object: z.literal('usage'),
  currency: z.literal('USD'),
  zone: z.string(),
  by: z.enum(timeSteps),
  group_by: z.array(z.enum(usageGroups)),
  /** RFC 3339 as clocks in the zone show it, here and below. */
  from: z.string(),
  to: z.string(),
  over: periodOver,
  /** Has only steps in which something was used, the oldest first. */
  data: z.array(
    z.object({
      from: z.string(),
      to: z.string(),
      /** The key with its name, when grouped by key. */
      key: z.object({ id: z.string(), name: z.string().nullable() }).optional(),
      model: z.string().optional(),
      format: wireFormat.optional(),
      class: z.enum(tokenClasses).optional(),
      ...used,
    }),
  ),
  /** The total of the whole period, not of the page. */
  total: z.object(used),
  has_more: z.boolean(),
  /** Is null on the last page. */
  next_cursor: z.string().nullable(),
})
export type UsageAnswer = DeepReadonly<z.output<typeof usageAnswer>>

export const keyAnswer = z.object({
  object: z.literal('key'),
  id: z.string(),
  name: z.string(),
  /** The last characters of the secret. */
  last_four: z.string(),
  created_at: z.string(),
  expires_at: z.string().nullable(),
  /** The time when its last request was accepted. */
  last_used_at: z.string().nullable(),
  /** The requests of all time. */
  requests: z.int().min(0),
  spent: dollars,
})
export type KeyAnswer = DeepReadonly<z.output<typeof keyAnswer>>
