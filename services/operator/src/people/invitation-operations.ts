/** The links by which people come in, and by which they set a new password. */
import type { Caller } from '@svc/contracts/admin/caller'
import type { OperationHandlers } from '@svc/contracts/admin/operations'
import { isAllowed } from '@svc/contracts/admin/roles'
import { LINK_PATH } from '@svc/contracts/dashboard/declaration'
import { ServiceError } from '@svc/contracts/errors'
import type { AdminRole } from '@svc/contracts/events/admin-tokens'
import type { IssuedLink, Link, User, Users } from '@svc/identity/users/users'
import { checkAccountId } from '../operations/values/input-values.ts'
import { timeText } from '../operations/values/rfc3339-times.ts'
import type { PeoplePorts } from './ports.ts'

export type InvitationHandlers = Pick<
  OperationHandlers,
  'inviteUser' | 'listInvitations' | 'revokeInvitation' | 'createResetLink'
>

export function invitationOperations(
  { users, ledger, information }: PeoplePorts,
  { actor, role }: Caller,
): InvitationHandlers {
  const issued = (link: IssuedLink) => shownLink(information.baseUrl, link)
  return {
    async inviteUser({ platform_role: platformRole, account_id: accountId, account_role }) {
      requireOwner(role, platformRole !== null)
      if (platformRole === null && accountId === null) {
        const message =
          'account_id: name the account that the person joins, or in platform_role the part that ' +
          'they have in running the service, or both'
        throw new ServiceError('invalid_value', message, { param: 'account_id' })
      }
      if (accountId !== null) {
        checkAccountId(accountId)
        await ledger.account(accountId)
      }
      const membership = accountId === null ? null : { accountId, role: account_role }
      return issued(await users.invite({ platformRole, membership }, actor))
    },

    async listInvitations() {
      return (await users.links()).map((link) => ({
        invitation_id: link.linkId,
        kind: link.kind,
        platform_role: link.platformRole,
        account_id: link.accountId,
        account_role: link.accountRole,
        user_id: link.userId,
        created_at: timeText(link.createdAt),
        created_by: link.issuedBy,
        expires_at: timeText(link.expiresAt),
      }))
    },

    async revokeInvitation({ invitation_id: linkId }) {
      const link = (await users.links()).find((open) => open.linkId === linkId)
      requireOwner(role, link !== undefined && (await isOfPlatform(users, link)))
      const { changed } = await users.change({ type: 'RevokeLink', linkId }, actor)
      return { invitation_id: linkId, changed }
    },

    async createResetLink({ user_id: userId }) {
      requireOwner(role, (await userOf(users, userId)).platformRole !== null)
      return issued(await users.issueReset(userId, actor))
    },
  }
}

/** Whether a link makes somebody one of those who run the service, or lets one of them in again. */
async function isOfPlatform(
  users: Pick<Users, 'find'>,
  { platformRole, userId }: Pick<Link, 'platformRole' | 'userId'>,
): Promise<boolean> {
  if (platformRole !== null || userId === null) return platformRole !== null
  return ((await users.find(userId))?.platformRole ?? null) !== null
}

/** A stopped service has no address: then the link begins at its path. */
function shownLink(baseUrl: string | null, { linkId, secret, expiresAt }: IssuedLink) {
  return {
    invitation_id: linkId,
    link: `${baseUrl ?? ''}${LINK_PATH}#${secret}`,
    expires_at: timeText(expiresAt),
  }
}

/** Refuses all but owners, because whoever could change these could make themselves one of them. */
export function requireOwner(role: AdminRole, isOfPlatform: boolean): void {
  if (!isOfPlatform || isAllowed(role, 'owner')) return
  const message = 'Only an owner of the service changes who runs it.'
  throw new ServiceError('not_allowed', message)
}

export async function userOf(users: Pick<Users, 'find'>, userId: string): Promise<Readonly<User>> {
  const user = await users.find(userId)
  if (user !== undefined) return user
  throw new ServiceError('not_found', `There is no user ${userId}.`, { param: 'user_id' })
}
