/** Users of the dashboard: who is let in, and what they may there. */
import { z } from 'zod'
import { accountRoles, linkKinds, platformRoles } from '../events/users.ts'
import { operation, type Shown } from './declaration/declaration.ts'
import { id, nothing } from './declaration/fields.ts'

const platformRole = z.enum(platformRoles)
const accountRole = z.enum(accountRoles)
const status = z.enum(['active', 'disabled', 'erased'])

const user = z.object({
  user_id: z.string(),
  /** Both are null when they have been erased, or are kept by another server. */
  email: z.string().nullable(),
  display_name: z.string().nullable(),
  status,
  /** Is null for customers. */
  platform_role: platformRole.nullable(),
  accounts: z.array(z.object({ account_id: z.string(), role: accountRole })),
  joined_at: z.string(),
})
export type UserDetails = Shown<typeof user>

const link = z.object({
  invitation_id: z.string(),
  kind: z.enum(linkKinds),
  platform_role: platformRole.nullable(),
  account_id: z.string().nullable(),
  account_role: accountRole.nullable(),
  /** The user whose password a reset sets. */
  user_id: z.string().nullable(),
  created_at: z.string(),
  created_by: z.string(),
  expires_at: z.string(),
})

const issued = z.object({
  invitation_id: z.string(),
  /** The link, which only this answer has. No mail is sent: it is passed on by hand. */
  link: z.string(),
  expires_at: z.string(),
})

const changed = z.object({ user_id: z.string(), changed: z.boolean() })

export const userOperations = {
  listUsers: operation({
    method: 'GET',
    path: '/users',
    role: 'auditor',
    summary: 'Users of the dashboard, in the order in which they joined',
    recorded: [],
    input: nothing,
    output: z.array(user),
  }),
  inviteUser: operation({
    method: 'POST',
    path: '/users/invitations',
    role: 'operator',
    summary: 'Make a link that lets one person in; only an owner lets people into the running',
    repeat: 'Makes another link; the one before works as well until it ends.',
    input: z.strictObject({
      /** A part in the running of the service; null: none. */
      platform_role: platformRole.nullable().default(null),
      /** An account to be in; null: none. */
      account_id: id.nullable().default(null),
      account_role: accountRole.default('owner'),
    }),
    output: issued,
  }),
  listInvitations: operation({
    method: 'GET',
    path: '/users/invitations',
    role: 'auditor',
    summary: 'Links that can still be used, the oldest first; never their secrets',
    input: nothing,
    output: z.array(link),
  }),
  revokeInvitation: operation({
    method: 'POST',
    path: '/users/invitations/:invitation_id/revoke',
    role: 'operator',
    summary: 'Make a link useless; only an owner takes back one of who runs the service',
    repeat: 'A link that is useless already is not found.',
    input: z.strictObject({ invitation_id: id }),
    output: z.object({ invitation_id: z.string(), changed: z.boolean() }),
  }),
  createResetLink: operation({
    method: 'POST',
    path: '/users/:user_id/reset-link',
    role: 'operator',
    summary: 'Make a link by which a user sets a new password; it ends the one before',
    repeat: 'Makes another link, and ends the one before.',
    input: z.strictObject({ user_id: id }),
    output: issued,
  }),
  setUserRole: operation({
    method: 'POST',
    path: '/users/:user_id/role',
    role: 'owner',
    summary: 'Give a user a part in the running of the service, or take it away',
    repeat: 'A user who has the role keeps it, and `changed` is false.',
    input: z.strictObject({ user_id: id, platform_role: platformRole.nullable() }),
    output: changed,
  }),
  setUserAccount: operation({
    method: 'POST',
    path: '/users/:user_id/accounts/:account_id',
    role: 'operator',
    summary: 'Put a user into an account, or out of it',
    repeat: 'A user who is so already stays so, and `changed` is false.',
    input: z.strictObject({ user_id: id, account_id: id, account_role: accountRole.nullable() }),
    output: changed,
  }),
  setUserStatus: operation({
    method: 'POST',
    path: '/users/:user_id/status',
    role: 'operator',
    summary: 'Disable a user, whose sessions end at once, or enable them again',
    repeat: 'A user who is so already stays so, and `changed` is false.',
    input: z.strictObject({ user_id: id, status: z.enum(['active', 'disabled']) }),
    output: changed,
  }),
  eraseUser: operation({
    method: 'POST',
    path: '/users/:user_id/erase',
    role: 'owner',
    summary: 'Forget who a user is, for ever: e-mail address, name and password',
    repeat: 'A user who was erased stays so, and `changed` is false.',
    input: z.strictObject({ user_id: id }),
    output: changed,
  }),
}
