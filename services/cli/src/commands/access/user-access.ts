/** `svc user set-role|set-account|links|revoke-link`: what users may do, and links in. */
import type { Operations } from '@svc/contracts/admin/operations'
import {
  type AccountRole,
  accountRoles,
  type PlatformRole,
  platformRoles,
} from '@svc/contracts/events/users'
import { Argument, type Command } from 'commander'
import type { Context } from '../../context/context.ts'
import { type Column, tableText } from '../../output/table.ts'
import { type ContextOf, confirmed } from '../options.ts'
import { USER_ARGUMENT, userIdOf } from './named-user.ts'

type OpenLink = Awaited<ReturnType<Operations['listInvitations']>>[number]

interface Confirmable {
  readonly yes?: true
}

const NONE = 'none'

const columns: readonly Column<OpenLink>[] = [
  { title: 'LINK', text: (link) => link.invitation_id },
  { title: 'KIND', text: (link) => link.kind },
  { title: 'MAKES', text: purposeOf },
  { title: 'MADE', leftOut: 1, text: (link) => link.created_at },
  // A server of the version before does not say it.
  { title: 'BY', leftOut: 2, text: (link) => link.created_by ?? '-' },
  { title: 'ENDS', text: (link) => link.expires_at },
]

/** Names all that a link does: one into the service may be one into an account as well. */
function purposeOf(link: OpenLink): string {
  const { platform_role: platformRole, account_id: accountId, user_id: userId } = link
  const purposes = [
    ...(platformRole === null ? [] : [`${platformRole} of the service`]),
    ...(accountId === null ? [] : [`${link.account_role} of ${accountId}`]),
    ...(userId === null ? [] : [`a password for ${userId}`]),
  ]
  return purposes.join(', ')
}

export function addUserAccess(user: Command, contextOf: ContextOf): void {
  user
    .command('set-role')
    .description('give a user a part in running the service, or take it away')
    .argument(...USER_ARGUMENT)
    .addArgument(new Argument('<role>', 'the part').choices([...platformRoles, NONE]))
    .option('--yes', 'do not ask, where it is taken away')
    .action((named: string, role: PlatformRole | 'none', options: Confirmable, command: Command) =>
      setRole(contextOf(command), named, role === NONE ? null : role, options),
    )
  user
    .command('set-account')
    .description('put a user into an account, or out of it')
    .argument(...USER_ARGUMENT)
    .argument('<account>', 'id of the account, acct_…')
    .addArgument(new Argument('<role>', 'in that account').choices([...accountRoles, NONE]))
    .option('--yes', 'do not ask, where the user is put out')
    .action((...given: [string, string, AccountRole | 'none', Confirmable, Command]) => {
      const [user, accountId, role, options, command] = given
      const asked = { user, accountId, role: role === NONE ? null : role }
      return setAccount(contextOf(command), asked, options)
    })
  user
    .command('links')
    .description('links that can still be used, the oldest first; never their secrets')
    .action((_options: unknown, command: Command) => links(contextOf(command)))
  user
    .command('revoke-link')
    .description('make a link useless that was not used yet')
    .argument('<link>', 'id of the link, link_…')
    .option('--yes', 'do not ask')
    .action((linkId: string, options: Confirmable, command: Command) =>
      revokeLink(contextOf(command), linkId, options),
    )
}

async function setRole(
  context: Context,
  user: string,
  role: PlatformRole | null,
  { yes }: Confirmable,
): Promise<void> {
  const question = `Take the part in running the service away from ${user}?`
  if (role === null) await confirmed(context, question, yes)
  const { user_id: userId, changed } = await context.withOperations(async (operations) =>
    operations.setUserRole({ user_id: await userIdOf(operations, user), platform_role: role }),
  )
  const shown = { user_id: userId, platform_role: role, changed }
  if (context.json) return context.outJson('user-role/1', shown)
  await context.out(`${userId}\n`)
  const what = role === null ? 'has no part in running the service' : `is ${role} of the service`
  context.note(`${what}${changed ? '' : ', as before'}`)
}

async function setAccount(
  context: Context,
  asked: {
    readonly user: string
    readonly accountId: string
    readonly role: AccountRole | null
  },
  { yes }: Confirmable,
): Promise<void> {
  const { user, accountId, role } = asked
  if (role === null) await confirmed(context, `Put ${user} out of ${accountId}?`, yes)
  const inAccount = { account_id: accountId, account_role: role }
  const { user_id: userId, changed } = await context.withOperations(async (operations) =>
    operations.setUserAccount({ user_id: await userIdOf(operations, user), ...inAccount }),
  )
  if (context.json) {
    return context.outJson('user-account/1', { user_id: userId, ...inAccount, changed })
  }
  await context.out(`${userId}\n`)
  const what = role === null ? `is not in ${accountId}` : `is ${role} of ${accountId}`
  context.note(`${what}${changed ? '' : ', as before'}`)
}

async function links(context: Context): Promise<void> {
  const open = await context.withOperations((operations) => operations.listInvitations())
  if (context.json) return context.outJson('user-links/1', { links: open })
  await context.out(tableText(context, columns, open))
  if (open.length === 0) context.note('there are no links that can be used')
}

async function revokeLink(context: Context, linkId: string, { yes }: Confirmable): Promise<void> {
  await confirmed(context, `Make the link ${linkId} useless?`, yes)
  const { changed } = await context.withOperations((operations) =>
    operations.revokeInvitation({ invitation_id: linkId }),
  )
  if (context.json) {
    return context.outJson('user-link-revoked/1', { invitation_id: linkId, changed })
  }
  await context.out(`${linkId}\n`)
  context.note('revoked')
}
