/** `svc admin-token create|list|revoke` */
import type { AdminTokenDetails } from '@svc/contracts/admin/tokens'
import { type AdminRole, adminRoles } from '@svc/contracts/events/admin-tokens'
import { Command, Option } from 'commander'
import type { Context } from '../../context/context.ts'
import { factsText } from '../../output/facts.ts'
import { type Column, tableText } from '../../output/table.ts'
import {
  type ContextOf,
  confirmed,
  IDEMPOTENCY_OPTION,
  type OnceOption,
  onceKey,
  optionalMoment,
} from '../options.ts'

interface CreateOptions extends OnceOption {
  readonly role: AdminRole
  readonly name: string
  readonly expires?: string
}

interface RevokeOptions {
  readonly reason: string
  readonly yes?: true
}

const columns: readonly Column<AdminTokenDetails>[] = [
  { title: 'TOKEN', text: (token) => token.token_id },
  { title: 'NAME', cutTo: 20, text: (token) => token.name },
  { title: 'ROLE', text: (token) => token.role },
  { title: 'SECRET', text: (token) => `…${token.last_four}` },
  { title: 'STATUS', text: (token) => token.status },
  { title: 'CREATED', leftOut: 1, text: (token) => token.created_at },
  { title: 'BY', leftOut: 2, text: (token) => token.created_by },
  { title: 'EXPIRES', text: (token) => token.expires_at ?? 'never' },
]

export function adminTokenCommand(contextOf: ContextOf): Command {
  const token = new Command('admin-token').description(
    'who may call the admin API, with which role',
  )
  token
    .command('create')
    .description('make an admin token; its secret is shown this once')
    .addOption(
      new Option('--role <role>', 'what it opens').choices(adminRoles).makeOptionMandatory(),
    )
    .requiredOption('--name <name>', 'a word for what uses it, shown with all that it does')
    .option('--expires <time>', 'when it ends (default: never)')
    .option(...IDEMPOTENCY_OPTION)
    .action((options: CreateOptions, command: Command) => create(contextOf(command), options))
  token
    .command('list')
    .description('every admin token that was ever made')
    .action((_options: unknown, command: Command) => list(contextOf(command)))
  token
    .command('revoke')
    .description('end an admin token at once and for ever')
    .argument('<token>', 'id of the token, tok_…')
    .option('--reason <text>', 'why', 'revoked by the operator')
    .option('--yes', 'do not ask')
    .action((tokenId: string, options: RevokeOptions, command: Command) =>
      revoke(contextOf(command), tokenId, options),
    )
  return token
}

async function create(
  context: Context,
  { role, name, expires, ...once }: CreateOptions,
): Promise<void> {
  const expiresAt = optionalMoment('--expires', expires)
  const made = await context.withOperations((operations) =>
    operations.createAdminToken({ role, name, expires_at: expiresAt, ...onceKey(once) }),
  )
  if (context.json) return context.outJson('admin-token-created/1', made)
  await context.out(
    factsText([
      ['token', made.token_id],
      ['secret', made.secret ?? 'was shown when the token was made'],
    ]),
  )
  if (!made.created) {
    context.note('this token had been made before: nothing was changed')
    return
  }
  context.note('the secret is shown this once: store it now')
  context.note('it goes into SVC_OPERATOR_TOKEN for svc --url, or into Authorization: Bearer')
}

async function list(context: Context): Promise<void> {
  const tokens = await context.withOperations((operations) => operations.listAdminTokens())
  if (context.json) return context.outJson('admin-tokens/1', { tokens })
  await context.out(tableText(context, columns, tokens))
  if (tokens.length === 0) context.note('there are no admin tokens')
}

async function revoke(
  context: Context,
  tokenId: string,
  { reason, yes }: RevokeOptions,
): Promise<void> {
  await confirmed(context, `End ${tokenId} for ever? Whatever uses it fails from now on.`, yes)
  const revoked = await context.withOperations((operations) =>
    operations.revokeAdminToken({ token_id: tokenId, reason }),
  )
  if (context.json) return context.outJson('admin-token-revoked/1', revoked)
  await context.out(`${tokenId}\n`)
  const since = revoked.already_revoked
    ? `was revoked already, since ${revoked.revoked_at}`
    : 'revoked'
  context.note(`${since}; see it with: svc admin-token list`)
}
