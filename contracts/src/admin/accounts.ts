/** Accounts, their keys and their credit. */
import { z } from 'zod'
import { GRANT_PRIORITY_MAX, spendPolicy } from '../events/account.ts'
import { dollars } from '../wire/billing.ts'
import { cursor } from '../wire/cursor.ts'
import { movement } from './corrections.ts'
import { operation, type Shown } from './declaration/declaration.ts'
import {
  amount,
  count,
  externalId,
  id,
  idempotencyKey,
  metadata,
  moment,
  name,
  pageLimit,
  reason,
  shortText,
} from './declaration/fields.ts'

const account = { account_id: id }
const named = { external_id: externalId.nullable().default(null), metadata: metadata.default({}) }
const once = { idempotency_key: idempotencyKey.optional() }
/** False when it had been made before: then nothing has happened. */
const created = z.boolean()
const category = z.enum(['paid', 'promotional'])
const newGrant = {
  ...account,
  /** Dollars, above zero. */
  amount,
  category,
  priority: z.int().min(0).max(GRANT_PRIORITY_MAX),
  /** Null means never. */
  expires_at: moment.nullable(),
  reference: shortText.nullable(),
  reason,
  ...once,
}

export const accountSummary = z.object({
  account_id: z.string(),
  name: z.string(),
  /** The account's id in the operator's own system; null without one. */
  external_id: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  status: z.enum(['open', 'frozen', 'closed']),
  spend_policy: spendPolicy,
  /** Grants less debits. */
  settled: dollars,
  /** The sum that running requests hold. */
  held: dollars,
  /** `settled - held`. */
  available: dollars,
  open_requests: count,
  opened_at: z.string(),
  last_activity_at: z.string(),
})
export type AccountSummary = Shown<typeof accountSummary>

const listedAccount = accountSummary.extend({
  damaged: z
    .boolean()
    .describe('Its records are damaged: it is refused, and shown as it was before the damage.'),
  /** Today and the 29 days before it, UTC. */
  spent_30_days: dollars,
})
export type ListedAccount = Shown<typeof listedAccount>

/**
 * Accounts are ordered by their age; by their balance or their use, the most first; by their name,
 * from A on; or by their status, those first that take no requests but could: frozen, open, closed.
 */
export const accountOrders = [
  'oldest',
  'newest',
  'activity',
  'available',
  'held',
  'spent',
  'name',
  'status',
] as const
/** `damaged` is asked for beside the status that such an account had before the damage. */
export const listedStatuses = [...accountSummary.shape.status.options, 'damaged'] as const
const status = z.enum(listedStatuses).optional()

const accountSums = z.object({
  accounts: count,
  damaged: count.describe(
    'How many of them have damaged records: they are summed as they were before the damage.',
  ),
  open_requests: count,
  settled: dollars,
  held: dollars,
  available: dollars,
  spent_30_days: dollars,
})
export type AccountSums = Shown<typeof accountSums>

const keyDetails = z.object({
  key_id: z.string(),
  name: z.string(),
  external_id: z.string().nullable(),
  /** The last characters of the secret. */
  last_four: z.string(),
  status: z.enum(['active', 'expired', 'revoked']),
  created_at: z.string(),
  /** The actor of its event, such as `user:usr_…`; null where none is told. */
  created_by: z.string().nullable(),
  expires_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
  /** The time when its last request was accepted; null when it was never used. */
  last_used_at: z.string().nullable(),
  /** The sum that its requests were debited, before refunds. */
  spent: dollars,
})
export type KeyDetails = Shown<typeof keyDetails>

export const grantDetails = z.object({
  grant_id: z.string(),
  amount: dollars,
  remaining: dollars,
  category,
  /** Lower is spent first. */
  priority: z.int(),
  expires_at: z.string().nullable(),
  granted_at: z.string(),
  voided_at: z.string().nullable(),
})
export type GrantDetails = Shown<typeof grantDetails>

export const accountDetails = accountSummary.extend({
  /** The list whose prices the account pays. */
  price_list: z.string(),
  keys: z.array(keyDetails),
  grants: z.array(grantDetails),
})
export type AccountDetails = Shown<typeof accountDetails>

const revokedKey = z.object({
  key_id: z.string(),
  revoked_at: z.string(),
  /** Whether it had been revoked before: it then stays revoked since that time. */
  already_revoked: z.boolean(),
})

export const accountOperations = {
  openAccount: operation({
    method: 'POST',
    path: '/accounts',
    role: 'operator',
    summary: 'Open an account: once for an external id, else once for an idempotency key',
    input: z.strictObject({ name, spend_policy: spendPolicy, ...named, ...once }),
    output: z.object({ account_id: z.string(), created }),
  }),
  listAccounts: operation({
    method: 'GET',
    path: '/accounts',
    role: 'auditor',
    summary: 'Accounts with their balances, oldest first unless another order is asked for',
    recorded: [],
    input: z.strictObject({
      /** The last account of the page before, in the same order. */
      after: id.optional(),
      limit: pageLimit,
      order: z.enum(accountOrders).default('oldest'),
      status,
      /** The one account that has it, or none. */
      external_id: externalId.optional(),
    }),
    output: z.array(listedAccount),
  }),
  searchAccounts: operation({
    method: 'GET',
    path: '/accounts/search',
    role: 'auditor',
    summary:
      'Accounts whose name or external id has a text, or whose id, key or grant it is, oldest first',
    recorded: [],
    input: z.strictObject({
      /**
       * Text to search for: any part of the name or the external id, or the whole id of the
       * account, of its key, of its grant, or of a correction that gave it credit.
       */
      text: shortText,
      status,
      cursor: cursor.optional(),
      limit: pageLimit,
    }),
    output: z.object({
      accounts: z.array(listedAccount),
      /** Is null on the last page; an empty page may have another behind it. */
      next_cursor: z.string().nullable(),
    }),
  }),
  sumAccounts: operation({
    method: 'GET',
    path: '/accounts/sums',
    role: 'auditor',
    summary: 'How many accounts there are, and the sums of their balances',
    input: z.strictObject({ status }),
    output: accountSums,
  }),
  showAccount: operation({
    method: 'GET',
    path: '/accounts/:account_id',
    role: 'auditor',
    summary: 'One account: balance, keys, grants',
    recorded: ['account_id'],
    input: z.strictObject(account),
    output: accountDetails,
  }),
  grant: operation({
    method: 'POST',
    path: '/accounts/:account_id/grants',
    role: 'operator',
    summary: 'Give an account credit; the same reference is granted once',
    input: z.strictObject(newGrant),
    output: z.object({ grant_id: z.string(), created }),
  }),
  previewGrant: operation({
    method: 'POST',
    path: '/accounts/:account_id/grants/preview',
    role: 'auditor',
    summary: 'What a grant would make of a balance, or why it is refused; nothing is written',
    recorded: ['account_id'],
    input: z.strictObject(newGrant),
    output: movement,
  }),
  createKey: operation({
    method: 'POST',
    path: '/accounts/:account_id/keys',
    role: 'operator',
    summary: 'Make a key, once for an external id; its secret is in this answer only',
    input: z.strictObject({
      ...account,
      name,
      expires_at: moment.nullable(),
      ...named,
      ...once,
    }),
    /** The secret is null when the key had been made before: it is shown once. */
    output: z.object({ key_id: z.string(), secret: z.string().nullable(), created }),
  }),
  listKeys: operation({
    method: 'GET',
    path: '/accounts/:account_id/keys',
    role: 'auditor',
    summary: 'The keys of an account',
    recorded: ['account_id'],
    input: z.strictObject({ ...account, external_id: externalId.optional() }),
    output: z.array(keyDetails),
  }),
  revokeKey: operation({
    method: 'POST',
    path: '/accounts/:account_id/keys/:key_id/revoke',
    role: 'operator',
    summary: 'End a key at once and for ever',
    repeat: 'A key that was revoked stays so since then, and `already_revoked` says it.',
    input: z.strictObject({ ...account, key_id: id, reason }),
    output: revokedKey,
  }),
}
