/** Users of the dashboard, as the operator sees and changes them. */
import type { Caller } from '@svc/contracts/admin/caller'
import type { OperationHandlers } from '@svc/contracts/admin/operations'
import type { userOperations as declared, UserDetails } from '@svc/contracts/admin/users'
import type { UserRecord } from '@svc/contracts/ports/user-records'
import type { User } from '@svc/identity/users/users'
import { checkAccountId } from '../operations/values/input-values.ts'
import { timeText } from '../operations/values/rfc3339-times.ts'
import { type InvitationHandlers, requireOwner, userOf } from './invitation-operations.ts'
import type { PeoplePorts } from './ports.ts'

export function userOperations(
  { users, userRecords, ledger }: PeoplePorts,
  { actor, role }: Caller,
): Pick<OperationHandlers, Exclude<keyof typeof declared, keyof InvitationHandlers>> {
  return {
    async listUsers() {
      const all = await users.list()
      return Promise.all(
        all.map(async (user) => userDetails(user, await userRecords.find(user.userId))),
      )
    },

    async setUserRole({ user_id: userId, platform_role: platformRole }) {
      const command = { type: 'SetPlatformRole', userId, role: platformRole } as const
      return { user_id: userId, changed: (await users.change(command, actor)).changed }
    },

    async setUserAccount({ user_id: userId, account_id: accountId, account_role: accountRole }) {
      checkAccountId(accountId)
      await ledger.account(accountId)
      const command = { type: 'SetMembership', userId, accountId, byOperator: true } as const
      const { changed } = await users.change({ ...command, role: accountRole }, actor)
      return { user_id: userId, changed }
    },

    async setUserStatus({ user_id: userId, status }) {
      requireOwner(role, (await userOf(users, userId)).platformRole !== null)
      const { changed } = await users.change({ type: 'SetStatus', userId, status }, actor)
      return { user_id: userId, changed }
    },

    async eraseUser({ user_id: userId }) {
      await userOf(users, userId)
      const command = { type: 'SetStatus', userId, status: 'erased' } as const
      const { changed } = await users.change(command, actor)
      // The records are erased also when the user was erased before: the file may have been
      // restored from a backup since.
      const wasKept = await userRecords.erase(userId)
      return { user_id: userId, changed: changed || wasKept }
    },
  }
}

function userDetails(user: Readonly<User>, record: UserRecord | undefined): UserDetails {
  return {
    user_id: user.userId,
    email: record?.email ?? null,
    display_name: record?.displayName ?? null,
    status: user.status,
    platform_role: user.platformRole,
    accounts: [...user.accounts].map(([account_id, role]) => ({ account_id, role })),
    joined_at: timeText(user.joinedAt),
  }
}
