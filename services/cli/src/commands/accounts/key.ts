/** `svc key create|list|revoke` */
import type { KeyDetails } from '@svc/contracts/admin/accounts'
import { Command } from 'commander'
import type { Context } from '../../context/context.ts'
import { CliError, EXIT_USAGE } from '../../context/exit-codes.ts'
import { factsText } from '../../output/facts.ts'
import { type Column, tableText } from '../../output/table.ts'
import {
  ACCOUNT_OPTION,
  type AccountOption,
  aboutAccount,
  type ContextOf,
  confirmed,
  EXTERNAL_ID_OPTION,
  IDEMPOTENCY_OPTION,
  METADATA_OPTION,
  type NamingOptions,
  namedAccount,
  namingInput,
  optionalMoment,
  readAccount,
} from '../options.ts'
import { change, changeInput, changeOptions } from './account-changes.ts'

interface CreateOptions extends AccountOption, NamingOptions {
  readonly name: string
  readonly expires?: string
}

interface RevokeOptions extends AccountOption {
  readonly reason: string
  readonly yes?: true
}

export const keyColumns: readonly Column<KeyDetails>[] = [
  { title: 'KEY', text: (key) => key.key_id },
  { title: 'NAME', cutTo: 12, text: (key) => key.name },
  { title: 'SECRET', text: (key) => `…${key.last_four}` },
  { title: 'STATUS', text: (key) => key.status },
  { title: 'CREATED', leftOut: 1, text: (key) => key.created_at },
  { title: 'EXPIRES', leftOut: 2, text: (key) => key.expires_at ?? 'never' },
  { title: 'LAST USED', leftOut: 3, text: (key) => key.last_used_at ?? 'never' },
  { title: 'SPENT', align: 'decimal', text: (key) => key.spent },
]

export function keyCommand(contextOf: ContextOf): Command {
  const key = new Command('key').description('API keys')
  aboutAccount(key.command('create'), contextOf, create)
    .description('make a key; its secret is shown this once')
    .requiredOption('--name <name>', 'what it is called in statements')
    .option('--expires <time>', 'when it ends (default: never)')
    .option(...EXTERNAL_ID_OPTION)
    .option(...METADATA_OPTION)
    .option(...IDEMPOTENCY_OPTION)
  aboutAccount(key.command('list'), contextOf, list).description('the keys of an account')
  key
    .command('revoke')
    .description('end a key at once and for ever: svc key revoke acct_… key_…')
    .argument('<account-or-key>', 'id of the account; or of the key, with --account')
    .argument('[key]', 'id of the key, key_…')
    .option(...ACCOUNT_OPTION)
    .option('--reason <text>', 'why', 'revoked by the operator')
    .option('--yes', 'do not ask')
    .action((first: string, second: string | undefined, options: RevokeOptions, command: Command) =>
      revoke(contextOf(command), first, second, options),
    )
  changeOptions(
    key
      .command('rename')
      .description('give a key another name')
      .argument('<account>', 'id of the account, acct_…')
      .argument('<key>', 'id of the key, key_…')
      .argument('<name>', 'what it is called from now on'),
  ).action((account: string, keyId: string, name: string, options, command: Command) =>
    change(contextOf(command), keyId, (operations) =>
      operations.renameKey({
        account_id: account,
        key_id: keyId,
        name,
        ...changeInput(options),
      }),
    ),
  )
  return key
}

async function create(
  context: Context,
  argument: string | undefined,
  options: CreateOptions,
): Promise<void> {
  const accountId = namedAccount(argument, options)
  const made = await context.withOperations((operations) =>
    operations.createKey({
      account_id: accountId,
      name: options.name,
      expires_at: optionalMoment('--expires', options.expires),
      ...namingInput(options),
    }),
  )
  if (context.json) return context.outJson('key-created/2', made)
  await context.out(
    factsText([
      ['key', made.key_id],
      ['secret', made.secret ?? 'was shown when the key was made'],
    ]),
  )
  context.note(
    made.created
      ? 'the secret is shown this once: store it now'
      : 'this key had been made before: nothing was changed',
  )
  context.note(`see the key with: svc key list ${accountId}`)
}

async function list(
  context: Context,
  argument: string | undefined,
  options: AccountOption,
): Promise<void> {
  await context.withOperations(async (operations) => {
    const accountId = await readAccount(operations, argument, options)
    const keys = await operations.listKeys({ account_id: accountId })
    if (context.json) return context.outJson('keys/2', { account_id: accountId, keys })
    await context.out(tableText(context, keyColumns, keys))
    if (keys.length === 0) context.note('there are no keys')
  })
}

async function revoke(
  context: Context,
  first: string,
  second: string | undefined,
  options: RevokeOptions,
): Promise<void> {
  if (second === undefined && options.account === undefined) {
    throw new CliError(EXIT_USAGE, 'name the account and the key: svc key revoke acct_… key_…')
  }
  const keyId = second ?? first
  const accountId = namedAccount(second === undefined ? undefined : first, options)
  await confirmed(context, `End ${keyId} for ever? Requests with it fail from now on.`, options.yes)
  const revoked = await context.withOperations((operations) =>
    operations.revokeKey({ account_id: accountId, key_id: keyId, reason: options.reason }),
  )
  if (context.json) return context.outJson('key-revoked/2', revoked)
  await context.out(`${keyId}\n`)
  const since = revoked.already_revoked ? `was revoked already on ${revoked.revoked_at}` : 'revoked'
  context.note(`${since}; see it with: svc key list ${accountId}`)
}
