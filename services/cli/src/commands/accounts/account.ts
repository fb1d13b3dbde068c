/** `svc account …`: opens accounts, puts them on a price list, and leads to what else is done. */
import { DEFAULT_PRICE_LIST } from '@svc/contracts/price'
import { Command, Option } from 'commander'
import type { Context } from '../../context/context.ts'
import {
  ACCOUNT_OPTION,
  type AccountOption,
  type ContextOf,
  EXTERNAL_ID_OPTION,
  IDEMPOTENCY_OPTION,
  METADATA_OPTION,
  type NamingOptions,
  namedAccount,
  namingInput,
} from '../options.ts'
import { addAccountChanges } from './account-changes.ts'
import { addGrant } from './account-grant.ts'
import { addList } from './account-list.ts'
import { addShow } from './account-show.ts'
import { addSum } from './account-sum.ts'
import { addQuarantine } from './quarantine.ts'

interface OpenOptions extends NamingOptions {
  readonly name: string
  readonly policy: 'standard' | 'strict'
}

export function accountCommand(contextOf: ContextOf): Command {
  const account = new Command('account').description('accounts and their credit')
  account
    .command('open')
    .description('open an account')
    .requiredOption('--name <name>', 'what it is called')
    .addOption(
      new Option('--policy <policy>', 'how the last credit is spent')
        .choices(['standard', 'strict'])
        .default('standard'),
    )
    .option(...EXTERNAL_ID_OPTION)
    .option(...METADATA_OPTION)
    .option(...IDEMPOTENCY_OPTION)
    .action((options: OpenOptions, command: Command) => open(contextOf(command), options))
  addList(account, contextOf)
  addSum(account, contextOf)
  addShow(account, contextOf)
  addGrant(account, contextOf)
  account
    .command('set-price-list')
    .description(
      'have an account pay the prices of a list from now on; `default` is for all others',
    )
    .argument('<account-or-list>', 'id of the account; or the list, with --account')
    .argument('[list]', 'name of the list, of which a price was published')
    .option(...ACCOUNT_OPTION)
    .action((first: string, second: string | undefined, options: AccountOption, command: Command) =>
      setPriceList(contextOf(command), first, second, options),
    )
  addAccountChanges(account, contextOf)
  addQuarantine(account, contextOf)
  return account
}

async function open(context: Context, { name, policy, ...naming }: OpenOptions): Promise<void> {
  const opened = await context.withOperations((operations) =>
    operations.openAccount({ name, spend_policy: policy, ...namingInput(naming) }),
  )
  if (context.json) return context.outJson('account-opened/2', opened)
  await context.out(`${opened.account_id}\n`)
  context.note(
    `${opened.created ? 'opened' : 'it had been opened before'}; see it with: svc account show ${opened.account_id}`,
  )
}

async function setPriceList(
  context: Context,
  first: string,
  second: string | undefined,
  options: AccountOption,
): Promise<void> {
  const accountId = namedAccount(second === undefined ? undefined : first, options)
  const set = await context.withOperations((operations) =>
    operations.setPriceList({ account_id: accountId, price_list: second ?? first }),
  )
  if (context.json) return context.outJson('account-price-list/1', set)
  await context.out(`${set.price_list}\n`)
  const start = set.starts_at
  const before =
    set.price_list === DEFAULT_PRICE_LIST
      ? 'until then nothing is sold at it'
      : `until then those of "${DEFAULT_PRICE_LIST}" count`
  const pays =
    start === null
      ? 'requests accepted from now on pay it'
      : `its first price is in force from ${start}, ${before}`
  const unchanged = 'it was on it already: nothing was changed'
  const done = set.changed ? [pays] : start === null ? [unchanged] : [unchanged, pays]
  context.note(`${done.join('; ')}; see it with: svc account show ${accountId}`)
}
