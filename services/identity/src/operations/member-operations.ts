/** The people of an account. */
import { LINK_PATH } from '@svc/contracts/dashboard/declaration'
import { ServiceError } from '@svc/contracts/errors'
import { userActor } from '@svc/contracts/events/actors'
import { type Handlers, openOf } from './handler.ts'
import type { IdentityPorts } from './ports.ts'
import { timeText } from './session-details.ts'

type Names =
  | 'listMembers'
  | 'setMemberRole'
  | 'removeMember'
  | 'listAccountInvitations'
  | 'inviteMember'
  | 'revokeAccountInvitation'

export function memberOperations({ users, records, signUp }: IdentityPorts): Handlers<Names> {
  return {
    async listMembers({ account_id: accountId }) {
      const members = await users.membersOf(accountId)
      const shown = members.map(async (user) => {
        const record = await records.find(user.userId)
        return {
          user_id: user.userId,
          email: record?.email ?? null,
          display_name: record?.displayName ?? null,
          role: user.accounts.get(accountId) ?? 'member',
          status: user.status === 'active' ? ('active' as const) : ('disabled' as const),
          joined_at: timeText(user.joinedAt),
        }
      })
      return Promise.all(shown)
    },

    async setMemberRole({ account_id: accountId, user_id: userId, role }, visitor) {
      const command = { type: 'SetMembership', accountId, userId, role, byOperator: false } as const
      const { changed } = await users.change(command, userActor(openOf(visitor).user.userId))
      return { changed }
    },

    async removeMember({ account_id: accountId, user_id: userId }, visitor) {
      const command = { type: 'SetMembership', accountId, userId, byOperator: false } as const
      const actor = userActor(openOf(visitor).user.userId)
      const { changed } = await users.change({ ...command, role: null }, actor)
      return { changed }
    },

    async listAccountInvitations({ account_id: accountId }) {
      const links = await users.links()
      return links.flatMap(({ linkId, accountId: to, accountRole: role, ...link }) =>
        to !== accountId || role === null
          ? []
          : [
              {
                invitation_id: linkId,
                role,
                created_at: timeText(link.createdAt),
                expires_at: timeText(link.expiresAt),
              },
            ],
      )
    },

    async inviteMember({ account_id: accountId, role }, visitor) {
      if (signUp.policy === 'closed') {
        const message = 'Here only who runs the service lets people in: ask them for a link.'
        throw new ServiceError('not_allowed', message)
      }
      const invited = { platformRole: null, membership: { accountId, role } }
      const actor = userActor(openOf(visitor).user.userId)
      const { linkId, secret, expiresAt } = await users.invite(invited, actor)
      return {
        invitation_id: linkId,
        link: linkText(visitor.rootUrl, secret),
        expires_at: timeText(expiresAt),
      }
    },

    async revokeAccountInvitation({ account_id: accountId, invitation_id: linkId }, visitor) {
      const actor = userActor(openOf(visitor).user.userId)
      const { changed } = await users.change({ type: 'RevokeLink', linkId, accountId }, actor)
      return { changed }
    },
  }
}

/** The secret is behind `#`, which browsers send nowhere. */
function linkText(rootUrl: string, secret: string): string {
  return `${rootUrl}${LINK_PATH}#${secret}`
}
