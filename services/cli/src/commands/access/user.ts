/** `svc user invite|list|disable|enable|reset-link|erase`; the rest is in `user-access.ts` */
import type { UserDetails } from '@svc/contracts/admin/users'
import {
  type AccountRole,
  accountRoles,
  type PlatformRole,
  platformRoles,
} from '@svc/contracts/events/users'
import { Command, Option } from 'commander'
import type { Context } from '../../context/context.ts'
import { CliError, EXIT_USAGE } from '../../context/exit-codes.ts'
import { factsText } from '../../output/facts.ts'
import { type Column, tableText } from '../../output/table.ts'
import { type ContextOf, confirmed } from '../options.ts'
import { USER_ARGUMENT, userIdOf } from './named-user.ts'
import { addUserAccess } from './user-access.ts'

interface InviteOptions {
  readonly role?: PlatformRole
  readonly account?: string
  readonly as?: AccountRole
}

interface Confirmable {
  readonly yes?: true
}

const columns: readonly Column<UserDetails>[] = [
  { title: 'USER', text: (user) => user.user_id },
  { title: 'E-MAIL', cutTo: 30, text: (user) => user.email ?? '-' },
  { title: 'NAME', cutTo: 20, leftOut: 1, text: (user) => user.display_name ?? '-' },
  { title: 'STATUS', text: (user) => user.status },
  { title: 'ROLE', text: (user) => user.platform_role ?? '-' },
  { title: 'ACCOUNTS', text: (user) => String(user.accounts.length) },
  { title: 'JOINED', leftOut: 2, text: (user) => user.joined_at },
]

export function userCommand(contextOf: ContextOf): Command {
  const user = new Command('user').description('who may use the dashboard')
  user
    .command('invite')
    .description('make a link that lets one person in; no mail is sent: pass it on yourself')
    .addOption(new Option('--role <role>', 'a part in running the service').choices(platformRoles))
    .option('--account <account>', 'an account to be in')
    .addOption(new Option('--as <role>', 'in that account, owner by default').choices(accountRoles))
    .action((options: InviteOptions, command: Command) => invite(contextOf(command), options))
  user
    .command('list')
    .description('users of the dashboard, in the order in which they joined')
    .action((_options: unknown, command: Command) => list(contextOf(command)))
  user
    .command('reset-link')
    .description('make a link by which a user sets a new password')
    .argument(...USER_ARGUMENT)
    .action((user: string, _options: unknown, command: Command) =>
      resetLink(contextOf(command), user),
    )
  user
    .command('disable')
    .description('keep a user out; every session ends at once')
    .argument(...USER_ARGUMENT)
    .option('--yes', 'do not ask')
    .action((user: string, options: Confirmable, command: Command) =>
      setStatus(contextOf(command), user, 'disabled', options),
    )
  user
    .command('enable')
    .description('let a disabled user in again')
    .argument(...USER_ARGUMENT)
    .action((user: string, _options: unknown, command: Command) =>
      setStatus(contextOf(command), user, 'active', { yes: true }),
    )
  user
    .command('erase')
    .description('forget who a user is: e-mail address, name and password')
    .argument(...USER_ARGUMENT)
    .option('--yes', 'do not ask')
    .action((user: string, options: Confirmable, command: Command) =>
      erase(contextOf(command), user, options),
    )
  addUserAccess(user, contextOf)
  return user
}

async function invite(context: Context, { role, account, as }: InviteOptions): Promise<void> {
  if (account === undefined && as !== undefined && role !== undefined) {
    throw new CliError(EXIT_USAGE, '--as: name the account of this role in --account')
  }
  const issued = await context.withOperations((operations) =>
    operations.inviteUser({
      platform_role: role ?? null,
      account_id: account ?? null,
      account_role: as,
    }),
  )
  await outLink(context, 'user-invited/1', issued)
}

async function resetLink(context: Context, user: string): Promise<void> {
  const issued = await context.withOperations(async (operations) =>
    operations.createResetLink({ user_id: await userIdOf(operations, user) }),
  )
  await outLink(context, 'user-reset-link/1', issued)
}

async function outLink(
  context: Context,
  schema: string,
  issued: {
    readonly invitation_id: string
    readonly link: string
    readonly expires_at: string
  },
): Promise<void> {
  if (context.json) return context.outJson(schema, issued)
  await context.out(
    factsText([
      ['link', issued.link],
      ['ends', issued.expires_at],
    ]),
  )
  // A folder that is opened without a server knows no address.
  if (issued.link.startsWith('/')) context.note('put the address of the server before it')
  context.note('the link works once, and is shown this once: pass it on yourself, no mail is sent')
}

async function list(context: Context): Promise<void> {
  const users = await context.withOperations((operations) => operations.listUsers())
  if (context.json) return context.outJson('users/1', { users })
  await context.out(tableText(context, columns, users))
  if (users.length === 0) context.note('there are no users')
}

async function setStatus(
  context: Context,
  user: string,
  status: 'active' | 'disabled',
  { yes }: Confirmable,
): Promise<void> {
  await confirmed(context, `Keep ${user} out? Every session ends at once.`, yes)
  const { user_id: userId, changed } = await context.withOperations(async (operations) =>
    operations.setUserStatus({ user_id: await userIdOf(operations, user), status }),
  )
  if (context.json) return context.outJson('user-status/1', { user_id: userId, status, changed })
  await context.out(`${userId}\n`)
  context.note(changed ? `is ${status} now` : `was ${status} already`)
}

async function erase(context: Context, user: string, { yes }: Confirmable): Promise<void> {
  await confirmed(context, `Forget for ever who ${user} is?`, yes)
  const erased = await context.withOperations(async (operations) =>
    operations.eraseUser({ user_id: await userIdOf(operations, user) }),
  )
  if (context.json) return context.outJson('user-erased/1', erased)
  await context.out(`${erased.user_id}\n`)
  context.note(erased.changed ? 'erased' : 'was erased already')
}
