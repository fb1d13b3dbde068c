/** `svc account open|list|sum|show|grant|set-price-list` */
import {
  type AccountDetails,
  type AccountSummary,
  accountOrders,
  type ListedAccount,
  listedStatuses,
} from '@svc/contracts/admin/accounts'
import type { OperationInput, Operations } from '@svc/contracts/admin/operations'
import { DEFAULT_GRANT_PRIORITY, GRANT_PRIORITY_MAX } from '@svc/contracts/events/account'
import { formatExact, parseDollars } from '@svc/contracts/money'
import { DEFAULT_PRICE_LIST } from '@svc/contracts/price'
import { Command, Option } from 'commander'
import type { Context } from '../../context/context.ts'
import { factsText } from '../../output/facts.ts'
import { outJsonList } from '../../output/json-list.ts'
import { resultOf } from '../../output/progress.ts'
import { type Column, noteLeftOut, Table, tableText } from '../../output/table.ts'
import {
  ACCOUNT_OPTION,
  type AccountOption,
  aboutAccount,
  type ContextOf,
  EXTERNAL_ID_OPTION,
  IDEMPOTENCY_OPTION,
  METADATA_OPTION,
  type NamingOptions,
  namedAccount,
  namingInput,
  type OnceOption,
  onceKey,
  optionalMoment,
  place,
  readAccount,
  wholeNumber,
} from '../options.ts'
import { addAccountChanges } from './account-changes.ts'
import { addSum } from './account-sum.ts'
import { move } from './corrections.ts'
import { keyColumns } from './key.ts'
import { addQuarantine } from './quarantine.ts'

const PAGE_ACCOUNTS = 500

interface OpenOptions extends NamingOptions {
  readonly name: string
  readonly policy: 'standard' | 'strict'
}

interface ShowOptions extends AccountOption {
  readonly asOf?: string
}

interface ListOptions {
  readonly externalId?: string
  readonly search?: string
  readonly order: (typeof accountOrders)[number]
  readonly status?: (typeof listedStatuses)[number]
}

interface GrantOptions extends AccountOption, OnceOption {
  readonly reason: string
  readonly ref?: string
  readonly category: 'paid' | 'promotional'
  readonly priority: string
  readonly expires?: string
  readonly dryRun?: true
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
  aboutAccount(account.command('show'), contextOf, show)
    .description('one account: balance, keys, grants')
    .option('--as-of <place>', 'as it was before a day or time, or up to a position of the log')
  account
    .command('grant')
    .description('give an account credit, in dollars: svc account grant acct_… 5.00 --reason …')
    .argument('<account-or-amount>', 'id of the account; or the amount, with --account')
    .argument('[amount]', 'dollars, above zero, such as 5.00')
    .option(...ACCOUNT_OPTION)
    .requiredOption('--reason <text>', 'why, for the statement')
    .option('--ref <reference>', 'the payment, such as INV-42: the same one is granted once')
    .addOption(
      new Option('--category <category>', 'what kind of credit')
        .choices(['paid', 'promotional'])
        .default('paid'),
    )
    .option(
      '--priority <number>',
      `lower is spent first, 0 to ${GRANT_PRIORITY_MAX}`,
      `${DEFAULT_GRANT_PRIORITY}`,
    )
    .option('--expires <time>', 'when what is left of it ends (default: never)')
    .option('--dry-run', 'show the balance before and after, and do nothing')
    .option(...IDEMPOTENCY_OPTION)
    .action((first: string, second: string | undefined, options: GrantOptions, command: Command) =>
      grant(contextOf(command), first, second, options),
    )
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

function addList(account: Command, contextOf: ContextOf): void {
  account
    .command('list')
    .description('accounts with their balances')
    .option('--external-id <id>', 'the one that is this in your own system')
    .addOption(
      new Option('--search <text>', 'those with this in their name or external id').conflicts(
        'externalId',
      ),
    )
    .addOption(
      new Option('--order <order>', 'what comes first; what is searched for has the order of age')
        .choices(accountOrders)
        .default('oldest')
        .conflicts(['search', 'externalId']),
    )
    .addOption(
      new Option('--status <status>', 'those that are so')
        .choices(listedStatuses)
        .conflicts('externalId'),
    )
    .action((options: ListOptions, command: Command) => list(contextOf(command), options))
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

async function list(context: Context, options: ListOptions): Promise<void> {
  await context.withOperations(async (operations) => {
    if (context.json) {
      const rows = (async function* () {
        for await (const page of listedPages(operations, options)) yield* page
      })()
      return outJsonList(context, 'accounts/2', { name: 'accounts', rows })
    }
    const table = new Table(accountColumns, context.terminal.columns)
    let first = true
    let isEmpty = true
    for await (const page of listedPages(operations, options)) {
      if (first) await context.out(context.strong(table.header(page)))
      first = false
      if (page.length > 0) isEmpty = false
      await context.out(table.rows(page))
    }
    if (isEmpty) context.note('there are no such accounts')
    noteLeftOut(context, table.leftOut)
  })
}

function listedPages(operations: Operations, { search, externalId, order, status }: ListOptions) {
  if (search !== undefined) return foundPages(operations, { text: search, status })
  return accountPages(operations, { order, status, external_id: externalId })
}

/** Yields at least one page; any may be empty. */
async function* foundPages(
  operations: Operations,
  asked: Pick<OperationInput<'searchAccounts'>, 'text' | 'status'>,
): AsyncGenerator<readonly ListedAccount[]> {
  let cursor: string | null = null
  do {
    const place: { cursor?: string } = cursor === null ? {} : { cursor }
    const page = await operations.searchAccounts({ ...asked, limit: PAGE_ACCOUNTS, ...place })
    yield page.accounts
    cursor = page.next_cursor
  } while (cursor !== null)
}

/** Yields at least one page, which may be empty. */
async function* accountPages(
  operations: Operations,
  asked: Omit<OperationInput<'listAccounts'>, 'limit' | 'after'>,
): AsyncGenerator<readonly ListedAccount[]> {
  let after: string | undefined
  for (;;) {
    const page = await operations.listAccounts({
      ...asked,
      limit: PAGE_ACCOUNTS,
      after,
    })
    if (after === undefined || page.length > 0) yield page
    if (page.length < PAGE_ACCOUNTS) return
    after = page.at(-1)?.account_id
  }
}

/** Accounts of the past say nothing of damage. */
type ShownAccount = AccountSummary & Partial<Pick<ListedAccount, 'damaged'>>

export const accountColumns: readonly Column<ShownAccount>[] = [
  { title: 'ACCOUNT', text: (account) => account.account_id },
  { title: 'NAME', cutTo: 12, text: (account) => account.name },
  {
    title: 'STATUS',
    leftOut: 5,
    text: (account) => (account.damaged === true ? 'damaged' : account.status),
  },
  { title: 'POLICY', leftOut: 3, text: (account) => account.spend_policy },
  { title: 'SETTLED', align: 'decimal', text: (account) => account.settled },
  { title: 'HELD', align: 'decimal', leftOut: 4, text: (account) => account.held },
  { title: 'AVAILABLE', align: 'decimal', text: (account) => account.available },
  { title: 'RUNNING', align: 'right', leftOut: 2, text: (account) => `${account.open_requests}` },
  { title: 'LAST ACTIVITY', leftOut: 1, text: (account) => account.last_activity_at },
]

async function show(
  context: Context,
  argument: string | undefined,
  options: ShowOptions,
): Promise<void> {
  const { asOf } = options
  const account = await context.withOperations(async (operations) => {
    const account_id = await readAccount(operations, argument, options)
    if (asOf === undefined) return operations.showAccount({ account_id })
    const lines = operations.replay({ to: place('--as-of', asOf), account_id })
    const result = await resultOf(context, lines, 'the account was replayed')
    context.note(`as of position ${result.position}, replayed from ${result.events} events`)
    return result.account ?? operations.showAccount({ account_id })
  })
  if (context.json) return context.outJson('account/2', account)
  await context.out(detailsText(context, account))
}

export function detailsText(context: Context, account: AccountDetails): string {
  return [
    factsText([
      ['account', account.account_id],
      ['name', account.name],
      ['external id', account.external_id ?? 'none'],
      ['status', account.status],
      ['policy', account.spend_policy],
      ['price list', account.price_list],
      ['settled', `${account.settled} USD`],
      ['held', `${account.held} USD by ${account.open_requests} running`],
      ['available', `${account.available} USD`],
      ['expiring', expiringText(account.grants)],
      ['opened', account.opened_at],
      ['last activity', account.last_activity_at],
    ]),
    tableText(context, keyColumns, account.keys),
    tableText(
      context,
      [
        { title: 'GRANT', text: (grant) => grant.grant_id },
        { title: 'CATEGORY', leftOut: 2, text: (grant) => grant.category },
        { title: 'AMOUNT', align: 'decimal', text: (grant) => grant.amount },
        { title: 'REMAINING', align: 'decimal', text: (grant) => grant.remaining },
        { title: 'PRIORITY', align: 'right', leftOut: 1, text: (grant) => `${grant.priority}` },
        { title: 'EXPIRES', text: (grant) => grant.expires_at ?? 'never' },
      ],
      account.grants,
    ),
  ].join('\n')
}

/** What will end unless it is spent before, as `expiring` of `GET /v1/balance`. */
function expiringText(grants: AccountDetails['grants']): string {
  const expiring = grants
    .flatMap(({ remaining, expires_at: at }) => {
      const left = parseDollars(remaining)
      return at === null || left === 0n ? [] : [{ left, at }]
    })
    .sort((one, other) => Date.parse(one.at) - Date.parse(other.at))
  const [next] = expiring
  if (next === undefined) return 'none'
  const sum = (of: typeof expiring) => formatExact(of.reduce((all, { left }) => all + left, 0n))
  const first = expiring.filter(({ at }) => at === next.at)
  if (first.length === expiring.length) return `${sum(expiring)} USD at ${next.at}`
  return `${sum(expiring)} USD, the next ${sum(first)} USD at ${next.at}`
}

async function grant(
  context: Context,
  first: string,
  second: string | undefined,
  options: GrantOptions,
): Promise<void> {
  const amount = second ?? first
  const accountId = namedAccount(second === undefined ? undefined : first, options)
  const asked = {
    account_id: accountId,
    amount,
    category: options.category,
    priority: wholeNumber('--priority', options.priority, 0, GRANT_PRIORITY_MAX),
    expires_at: optionalMoment('--expires', options.expires),
    reference: options.ref ?? null,
    reason: options.reason,
    ...onceKey(options),
  }
  if (options.dryRun === true) {
    return move(context, 'grant-preview/1', options, () =>
      context.withOperations((operations) => operations.previewGrant(asked)),
    )
  }
  const granted = await context.withOperations((operations) => operations.grant(asked))
  if (context.json) return context.outJson('grant/2', granted)
  await context.out(`${granted.grant_id}\n`)
  const done = granted.created ? `granted ${amount} USD` : 'it had been granted before'
  context.note(`${done}; see it with: svc statement ${accountId}`)
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
