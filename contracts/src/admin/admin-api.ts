/**
 * The operator's HTTP interface: one table that the server mounts and the CLI calls, so that the
 * two cannot drift apart. What `:name` in a path does not take of the input goes into the query of
 * a GET and into the body of a POST.
 */

import { z } from 'zod'
import { spendPolicy } from '../events/account.ts'
import { tokenCount } from '../tokens.ts'
import { auditRequest, drainRequest } from '../worker/protocol.ts'
import type { Operations } from './operations.ts'

export const ADMIN_PREFIX = '/admin/v1'
/** A blank line this often tells both sides of a quiet stream that the other one is there. */
export const STREAM_HEARTBEAT_MS = 10_000

const MAX_PAGE = 1_000
const MAX_POSITION = 2n ** 63n - 1n
const MAX_NAME_CHARACTERS = 200
const MAX_REASON_CHARACTERS = 500
const MAX_HEAD_CHARACTERS = 100
const MAX_PRIORITY = 1_000
const MAX_WORKER_URL_CHARACTERS = 1_000

const id = z.string().min(1).max(100)
/** Stands in paths, tables and labels. */
const newWorkerId = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,63}$/, 'must be at most 64 letters, digits, ".", "_" and "-"')
const name = textOf(MAX_NAME_CHARACTERS)
const reason = textOf(MAX_REASON_CHARACTERS)
/** RFC 3339 with a zone. */
const moment = z.iso.datetime({ offset: true })
const amountText = z.string().max(40)
/** Of an event, as far as any log counts; -1 is before the first. */
const position = z
  .string()
  .regex(/^(-1|\d{1,19})$/, 'must be a position: a whole number')
  .pipe(z.string().refine((text) => BigInt(text) <= MAX_POSITION, 'must be a position below 2^63'))
/** A number that may come as text, as in a query. */
const pageLimit = z.coerce.number().pipe(tokenCount.min(1).max(MAX_PAGE))
const entryNumber = z.coerce.number().pipe(z.int().min(0))

const filter = { stream: id.optional(), type: id.optional(), after: position.optional() }
const account = { accountId: id }

export interface AdminRoute {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly input: z.ZodObject
  /** One JSON value, or newline-delimited JSON as long as it lasts. */
  readonly answer: 'json' | 'lines'
}

export const adminApi = {
  status: { method: 'GET', path: '/status', input: z.strictObject({}), answer: 'json' },
  openAccount: {
    method: 'POST',
    path: '/accounts',
    input: z.strictObject({ name, spendPolicy }),
    answer: 'json',
  },
  listAccounts: {
    method: 'GET',
    path: '/accounts',
    input: z.strictObject({ after: id.optional(), limit: pageLimit }),
    answer: 'json',
  },
  showAccount: {
    method: 'GET',
    path: '/accounts/:accountId',
    input: z.strictObject(account),
    answer: 'json',
  },
  grant: {
    method: 'POST',
    path: '/accounts/:accountId/grants',
    input: z.strictObject({
      ...account,
      amount: amountText,
      category: z.enum(['paid', 'promotional']),
      priority: z.int().min(0).max(MAX_PRIORITY),
      expiresAt: moment.nullable(),
      reference: textOf(MAX_NAME_CHARACTERS).nullable(),
      reason,
    }),
    answer: 'json',
  },
  createKey: {
    method: 'POST',
    path: '/accounts/:accountId/keys',
    input: z.strictObject({ ...account, name, expiresAt: moment.nullable() }),
    answer: 'json',
  },
  listKeys: {
    method: 'GET',
    path: '/accounts/:accountId/keys',
    input: z.strictObject(account),
    answer: 'json',
  },
  revokeKey: {
    method: 'POST',
    path: '/accounts/:accountId/keys/:keyId/revoke',
    input: z.strictObject({ ...account, keyId: id, reason }),
    answer: 'json',
  },
  publishPrice: {
    method: 'POST',
    path: '/prices',
    input: z.strictObject({
      model: name,
      input: amountText,
      cachedInput: amountText,
      output: amountText,
      effectiveFrom: moment.nullable(),
    }),
    answer: 'json',
  },
  listPrices: { method: 'GET', path: '/prices', input: z.strictObject({}), answer: 'json' },
  statement: {
    method: 'GET',
    path: '/accounts/:accountId/statement',
    input: z.strictObject({
      ...account,
      from: moment.optional(),
      to: moment.optional(),
      after: entryNumber.optional(),
      limit: pageLimit,
    }),
    answer: 'json',
  },
  explain: {
    method: 'GET',
    path: '/requests/:requestId',
    input: z.strictObject({ requestId: id }),
    answer: 'json',
  },
  verify: {
    method: 'POST',
    path: '/verify',
    input: z.strictObject({ anchor: z.string().max(MAX_HEAD_CHARACTERS).optional() }),
    answer: 'lines',
  },
  listProjections: {
    method: 'GET',
    path: '/projections',
    input: z.strictObject({}),
    answer: 'json',
  },
  rebuildProjection: {
    method: 'POST',
    path: '/projections/:name/rebuild',
    input: z.strictObject({ name: id }),
    answer: 'lines',
  },
  listWorkers: { method: 'GET', path: '/workers', input: z.strictObject({}), answer: 'json' },
  drainWorker: {
    method: 'POST',
    path: '/workers/:workerId/drain',
    input: z.strictObject({ workerId: id, ...drainRequest.shape }),
    answer: 'json',
  },
  addWorker: {
    method: 'POST',
    path: '/workers',
    input: z.strictObject({
      workerId: newWorkerId.nullable(),
      url: z.string().max(MAX_WORKER_URL_CHARACTERS),
    }),
    answer: 'json',
  },
  removeWorker: {
    method: 'POST',
    path: '/workers/:workerId/remove',
    input: z.strictObject({ workerId: id }),
    answer: 'json',
  },
  auditCache: {
    method: 'POST',
    path: '/cache/audit',
    input: z.strictObject(auditRequest.shape),
    answer: 'lines',
  },
  listEvents: {
    method: 'GET',
    path: '/events',
    input: z.strictObject({ ...filter, limit: pageLimit }),
    answer: 'json',
  },
  tailEvents: {
    method: 'GET',
    path: '/events/tail',
    input: z.strictObject(filter),
    answer: 'lines',
  },
} as const satisfies Record<keyof Operations, AdminRoute>

function textOf(charactersMax: number): z.ZodString {
  const problem = `must have 1 to ${charactersMax} characters`
  return z.string().trim().min(1, problem).max(charactersMax, problem)
}

export type AdminOperation = keyof typeof adminApi
export type AdminInput<Name extends AdminOperation> = z.output<(typeof adminApi)[Name]['input']>
