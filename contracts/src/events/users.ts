/**
 * The events of the one stream `users`: who may use the dashboard, and what they may there. The
 * names and shapes are the storage format.
 *
 * No event says who somebody is. E-mail address, name and password are kept beside the log under
 * the id of the user, and can be erased there; the log says that there is a user, since when, and
 * what they may.
 */
import { z } from 'zod'

export const usersStream = 'users'

/** The roles of those who run the service; each may do all that those before it may. */
export const platformRoles = ['auditor', 'operator', 'owner'] as const
export type PlatformRole = (typeof platformRoles)[number]

/** The roles in an account. A member looks and chats, an owner has the keys and lets others in. */
export const accountRoles = ['member', 'owner'] as const
export type AccountRole = (typeof accountRoles)[number]

/**
 * Links that are passed on by hand and used once.
 *
 *     owner       of the first start: makes the first owner of the service
 *     invitation  lets one person in
 *     reset       lets one user set a password
 */
export const linkKinds = ['owner', 'invitation', 'reset'] as const
export type LinkKind = (typeof linkKinds)[number]

const timeMs = z.int().min(0)
const at = { at: timeMs }
const platformRole = z.enum(platformRoles).nullable()
const accountRole = z.enum(accountRoles).nullable()

export const userEventSchemas = {
  LinkIssued: z.object({
    linkId: z.string(),
    kind: z.enum(linkKinds),
    /** SHA-256 of the secret, in hex; the secret itself is never stored. */
    secretHash: z.string(),
    /** The role that whoever uses the link gets. */
    platformRole,
    accountId: z.string().nullable(),
    accountRole,
    /** The user whose password a reset sets. */
    userId: z.string().nullable(),
    expiresAt: timeMs,
    ...at,
  }),
  LinkUsed: z.object({ linkId: z.string(), userId: z.string(), ...at }),
  LinkRevoked: z.object({ linkId: z.string(), ...at }),
  UserJoined: z.object({ userId: z.string(), ...at }),
  /** Null takes the role away. */
  PlatformRoleSet: z.object({ userId: z.string(), role: platformRole, ...at }),
  /** Null takes the user out of the account. */
  MembershipSet: z.object({
    userId: z.string(),
    accountId: z.string(),
    role: accountRole,
    ...at,
  }),
  /** Every session from before it has ended. */
  PasswordSet: z.object({ userId: z.string(), ...at }),
  /** The same. `erased` is for ever: nothing is left that says who it was. */
  UserStatusSet: z.object({
    userId: z.string(),
    status: z.enum(['active', 'disabled', 'erased']),
    ...at,
  }),
} as const

type Schemas = typeof userEventSchemas

export type UserEvent = {
  [T in keyof Schemas]: { readonly type: T; readonly data: Readonly<z.output<Schemas[T]>> }
}[keyof Schemas]
