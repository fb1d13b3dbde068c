/** Fields that many operations take: what they may hold is said here once. */
import { z } from 'zod'
import { isId, requestIdOf } from '../../ids.ts'
import { queryNumber } from '../../input/query-number.ts'
import { isMoment } from '../../zone.ts'

const movements = ['grant', 'adj', 'refund'] as const
const ID_CHARACTERS_MAX = 100
export const NAME_CHARACTERS_MAX = 200
const REASON_CHARACTERS_MAX = 500
const AMOUNT_CHARACTERS_MAX = 40
const PAGE_MAX = 1_000
const METADATA_PAIRS_MAX = 16
const METADATA_NAME_CHARACTERS_MAX = 40
const METADATA_VALUE_CHARACTERS_MAX = 500
const POSITION_MAX = 2n ** 63n - 1n

export const id = z
  .string()
  .min(1, 'must not be empty')
  .max(ID_CHARACTERS_MAX, `must be ${ID_CHARACTERS_MAX} characters at most`)
/** A request, by its own id or by any that its answer gave. */
export const requestId = id.transform((text) => requestIdOf(text) ?? text)
/** An event's id as the log has it: a UUID in lower case. */
const eventId = z
  .string()
  .toLowerCase()
  .regex(
    /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    'must be a UUID, such as 0d4c1fbe-9a71-8a5b-b3c1-24f1d0f6a0e2',
  )
/** An event, or a grant, an adjustment or a refund: each of these has one event that made it. */
export const eventOrMovementId = z.union(
  [z.string().refine((text) => movements.some((kind) => isId(kind, text))), eventId],
  { error: 'must be the whole id of a grant, an adjustment, a refund or an event' },
)
/** What another system calls something, such as a payment: it is taken as it comes. */
export const shortText = textOf(NAME_CHARACTERS_MAX)
/**
 * What somebody or something is called. It is shown beside other things, so it holds nothing that a
 * terminal obeys or that turns what follows around.
 */
export const name = shortText.refine(
  (text) => !/[\p{Cc}\u202d\u202e]/u.test(text),
  'must have no control characters, and none that overrides the direction of text',
)
export const reason = textOf(REASON_CHARACTERS_MAX)
/**
 * The same key does the same thing once. Over HTTP it is the header `Idempotency-Key`: the routes
 * take it from there, and the client puts it there.
 */
export const idempotencyKey = z
  .string()
  .regex(/^[\x20-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters')
/** The account's id in the operator's own system. It is unique there. */
export const externalId = shortText
/** Whatever the operator's system wants to find again. */
export const metadata = z
  .record(textOf(METADATA_NAME_CHARACTERS_MAX), z.string().max(METADATA_VALUE_CHARACTERS_MAX))
  .refine(
    (pairs) => Object.keys(pairs).length <= METADATA_PAIRS_MAX,
    `must have at most ${METADATA_PAIRS_MAX} pairs`,
  )
/** RFC 3339 with a zone. In UTC its year has four digits too, or it could not be told again. */
export const moment = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2026-11-01T00:00:00Z' })
  .refine(isMoment, 'must be within the years 0000 to 9999 in UTC')
/** Dollars, read exactly by whoever carries it out. */
export const amount = z.string().max(AMOUNT_CHARACTERS_MAX)
/** The position of an event, as far as any log counts; -1 is before the first. */
export const position = z
  .string()
  .regex(/^(-1|\d{1,19})$/, 'must be a position: a whole number')
  .pipe(z.string().refine((text) => BigInt(text) <= POSITION_MAX, 'must be a position below 2^63'))
export const pageLimit = queryNumber(z.int().min(1).max(PAGE_MAX))
export const entryNumber = queryNumber(z.int().min(0))
export const count = z.int().min(0)
export const nothing = z.strictObject({})

function textOf(charactersMax: number): z.ZodString {
  const problem = `must have 1 to ${charactersMax} characters`
  return z.string().trim().min(1, problem).max(charactersMax, problem)
}
