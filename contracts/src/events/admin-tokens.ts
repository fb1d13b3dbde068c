/**
 * The events of the one stream `admin-tokens`. The names and shapes are the storage format.
 *
 * The name of a token, and why it was ended, are kept beside the log (`kept-text.ts`), in the name
 * of the token. The word of the name stands as `operator:<word>` in the metadata of whatever the
 * token's holder writes; in version 1 it was the name itself.
 */
import { z } from 'zod'
import { freeText } from './account.ts'

export const adminTokensStream = 'admin-tokens'

const timeMs = z.int().min(0)

/** Each role may do all that those before it may: see `admin/access/roles.ts`. */
export const adminRoles = ['metrics', 'auditor', 'operator', 'owner'] as const
export type AdminRole = (typeof adminRoles)[number]

export const adminTokenEventSchemas = {
  AdminTokenCreated: z.object({
    tokenId: z.string(),
    name: freeText,
    role: z.enum(adminRoles),
    /** SHA-256 of the secret, in hex; the secret itself is never stored. */
    secretHash: z.string(),
    lastFour: z.string(),
    /** The token is refused from this moment on; null never expires. */
    expiresAt: timeMs.nullable(),
    at: timeMs,
  }),
  AdminTokenRevoked: z.object({ tokenId: z.string(), reason: freeText, at: timeMs }),
} as const

type Schemas = typeof adminTokenEventSchemas

export type AdminTokenEvent = {
  [T in keyof Schemas]: { readonly type: T; readonly data: Readonly<z.output<Schemas[T]>> }
}[keyof Schemas]
