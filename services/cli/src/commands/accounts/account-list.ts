/** `svc account list` */
import {
  type AccountSummary,
  accountOrders,
  type ListedAccount,
  listedStatuses,
} from '@svc/contracts/admin/accounts'
import type { OperationInput, Operations } from '@svc/contracts/admin/operations'
import { type Command, Option } from 'commander'
import type { Context } from '../../context/context.ts'
import { outJsonList } from '../../output/json-list.ts'
import { type Column, noteLeftOut, Table } from '../../output/table.ts'
import type { ContextOf } from '../options.ts'

const PAGE_ACCOUNTS = 500

interface ListOptions {
  readonly externalId?: string
  readonly search?: string
  readonly order: (typeof accountOrders)[number]
  readonly status?: (typeof listedStatuses)[number]
}

export function addList(account: Command, contextOf: ContextOf): void {
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
  let cursor: string | undefined
  do {
    const page = await operations.searchAccounts({ ...asked, limit: PAGE_ACCOUNTS, cursor })
    yield page.accounts
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
}

/** Yields at least one page, which may be empty. */
async function* accountPages(
  operations: Operations,
  asked: Omit<OperationInput<'listAccounts'>, 'limit' | 'after'>,
): AsyncGenerator<readonly ListedAccount[]> {
  let after: string | undefined
  for (;;) {
    const page = await operations.listAccounts({ ...asked, limit: PAGE_ACCOUNTS, after })
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
