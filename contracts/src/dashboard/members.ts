/** The people of an account, and the links that let others in. */
import { z } from 'zod'
import { id } from '../admin/declaration/fields.ts'
import { dashboardOperation } from './declaration.ts'
import { accountRole } from './session.ts'

const account = { account_id: id }

const member = z.object({
  user_id: z.string(),
  /** Both are null when they have been erased. */
  email: z.string().nullable(),
  display_name: z.string().nullable(),
  role: accountRole,
  status: z.enum(['active', 'disabled']),
  joined_at: z.string(),
})

const invitation = z.object({
  invitation_id: z.string(),
  role: accountRole,
  created_at: z.string(),
  expires_at: z.string(),
})

export const memberOperations = {
  listMembers: dashboardOperation({
    method: 'GET',
    path: '/accounts/:account_id/members',
    access: 'member',
    summary: 'The people of an account, in the order in which they joined',
    input: z.strictObject(account),
    output: z.array(member),
  }),
  setMemberRole: dashboardOperation({
    method: 'POST',
    path: '/accounts/:account_id/members/:user_id/role',
    access: 'owner',
    summary: 'Make a member an owner, or an owner a member; the last owner stays one',
    input: z.strictObject({ ...account, user_id: id, role: accountRole }),
    output: z.object({ changed: z.boolean() }),
  }),
  removeMember: dashboardOperation({
    method: 'POST',
    path: '/accounts/:account_id/members/:user_id/remove',
    access: 'owner',
    summary: 'Take somebody out of an account at once; the last owner stays',
    input: z.strictObject({ ...account, user_id: id }),
    output: z.object({ changed: z.boolean() }),
  }),
  listAccountInvitations: dashboardOperation({
    method: 'GET',
    path: '/accounts/:account_id/invitations',
    access: 'owner',
    summary: 'Links to an account that can still be used; never their secrets',
    input: z.strictObject(account),
    output: z.array(invitation),
  }),
  inviteMember: dashboardOperation({
    method: 'POST',
    path: '/accounts/:account_id/invitations',
    access: 'owner',
    summary: 'Make a link that lets one person in, to be passed on by hand; it is shown once',
    input: z.strictObject({ ...account, role: accountRole }),
    output: z.object({
      invitation_id: z.string(),
      /** The link, which only this answer has. No mail is sent. */
      link: z.string(),
      expires_at: z.string(),
    }),
  }),
  revokeAccountInvitation: dashboardOperation({
    method: 'POST',
    path: '/accounts/:account_id/invitations/:invitation_id/revoke',
    access: 'owner',
    summary: 'Make a link useless',
    input: z.strictObject({ ...account, invitation_id: id }),
    output: z.object({ changed: z.boolean() }),
  }),
}
