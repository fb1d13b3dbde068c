/** Admin tokens: who may call these operations, and with which role. */
import { z } from 'zod'
import { adminRoles } from '../events/admin-tokens.ts'
import { operation, type Shown } from './declaration/declaration.ts'
import { id, idempotencyKey, moment, nothing, reason } from './declaration/fields.ts'

/** The name of a token. Whatever its holder does shows it as `operator:<name>`. */
const tokenName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'must be 1 to 63 of "a-z", "0-9", ".", "_" and "-"')

const role = z.enum(adminRoles)

const adminToken = z.object({
  token_id: z.string(),
  name: z.string(),
  role,
  /** The last characters of the secret. */
  last_four: z.string(),
  status: z.enum(['active', 'expired', 'revoked']),
  created_at: z.string(),
  /** The actor. */
  created_by: z.string(),
  expires_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
})
export type AdminTokenDetails = Shown<typeof adminToken>

const revokedToken = z.object({
  token_id: z.string(),
  revoked_at: z.string(),
  /** Whether it had been revoked before: it then stays revoked since that time. */
  already_revoked: z.boolean(),
})

export const tokenOperations = {
  createAdminToken: operation({
    method: 'POST',
    path: '/tokens',
    role: 'owner',
    summary: 'Make an admin token; its secret is in this answer only',
    input: z.strictObject({
      /** A name that no other token has, or had before. */
      name: tokenName,
      role,
      /** A time that is later than now; null means never. */
      expires_at: moment.nullable(),
      idempotency_key: idempotencyKey.optional(),
    }),
    /** The secret is null when the token had been made before: it is shown once. */
    output: z.object({
      token_id: z.string(),
      secret: z.string().nullable(),
      created: z.boolean(),
    }),
  }),
  listAdminTokens: operation({
    method: 'GET',
    path: '/tokens',
    role: 'auditor',
    summary: 'Every admin token that was ever made, oldest first; never a secret',
    input: nothing,
    output: z.array(adminToken),
  }),
  revokeAdminToken: operation({
    method: 'POST',
    path: '/tokens/:token_id/revoke',
    role: 'owner',
    summary: 'End an admin token at once and for ever',
    repeat: 'A token that was revoked stays so since then, and `already_revoked` says it.',
    input: z.strictObject({ token_id: id, reason }),
    output: revokedToken,
  }),
}
