/** `svc grant list` and `svc hold list` */
import type { ListedGrant, ListedHold } from '@svc/contracts/admin/credit'
import type { Operations } from '@svc/contracts/admin/operations'
import { Command } from 'commander'
import type { Context } from '../../context/context.ts'
import { outJsonList } from '../../output/json-list.ts'
import { type Column, noteLeftOut, Table } from '../../output/table.ts'
import { ACCOUNT_ARGUMENT, type ContextOf, moment } from '../options.ts'

const PAGE_ROWS = 500

interface GrantOptions {
  readonly all?: true
  readonly expiresBefore?: string
}

interface HoldOptions {
  readonly heldBefore?: string
}

export function addGrantList(grant: Command, contextOf: ContextOf): void {
  grant
    .command('list')
    .description('what is left of grants, the next to expire first')
    .argument(...ACCOUNT_ARGUMENT)
    .option('--all', 'also those of which nothing is left')
    .option('--expires-before <time>', 'only those that expire before this day or time')
    .action((account: string | undefined, options: GrantOptions, command: Command) => {
      const { all, expiresBefore: before } = options
      const query = {
        account_id: account,
        which: all === true ? ('all' as const) : ('open' as const),
        expires_before: before === undefined ? undefined : moment('--expires-before', before),
      }
      return show(contextOf(command), 'grants', grantColumns, async (operations, page) => {
        const { grants: rows, next_cursor: next } = await operations.listGrants({
          ...query,
          ...page,
        })
        return { rows, next }
      })
    })
}

export function holdCommand(contextOf: ContextOf): Command {
  const hold = new Command('hold').description('credit that running requests hold')
  hold
    .command('list')
    .description('what running requests hold, the oldest first')
    .argument(...ACCOUNT_ARGUMENT)
    .option('--held-before <time>', 'only those that have held since before this time')
    .action((account: string | undefined, options: HoldOptions, command: Command) => {
      const { heldBefore: before } = options
      const query = {
        account_id: account,
        held_before: before === undefined ? undefined : moment('--held-before', before),
      }
      return show(contextOf(command), 'holds', holdColumns, async (operations, page) => {
        const { holds: rows, next_cursor: next } = await operations.listHolds({
          ...query,
          ...page,
        })
        return { rows, next }
      })
    })
  return hold
}

interface Page<Row> {
  readonly rows: readonly Row[]
  readonly next: string | null
}

type AskPage<Row> = (
  operations: Operations,
  page: { readonly limit: number; readonly cursor: string | undefined },
) => Promise<Page<Row>>

/** Every page, as a table or as one JSON object. */
function show<Row extends object>(
  context: Context,
  name: string,
  columns: readonly Column<Row>[],
  ask: AskPage<Row>,
): Promise<void> {
  return context.withOperations(async (operations) => {
    const pages = pagesOf(operations, ask)
    if (context.json) {
      const rows = (async function* () {
        for await (const page of pages) yield* page
      })()
      return outJsonList(context, `${name}/1`, { name, rows })
    }
    const table = new Table(columns, context.terminal.columns)
    let isFirst = true
    let isEmpty = true
    for await (const page of pages) {
      if (isFirst) await context.out(context.strong(table.header(page)))
      isFirst = false
      if (page.length > 0) isEmpty = false
      await context.out(table.rows(page))
    }
    if (isEmpty) context.note(`there are no ${name}`)
    noteLeftOut(context, table.leftOut)
  })
}

async function* pagesOf<Row>(
  operations: Operations,
  ask: AskPage<Row>,
): AsyncGenerator<readonly Row[]> {
  let cursor: string | null = null
  do {
    const page: Page<Row> = await ask(operations, {
      limit: PAGE_ROWS,
      cursor: cursor ?? undefined,
    })
    yield page.rows
    cursor = page.next
  } while (cursor !== null)
}

const grantColumns: readonly Column<ListedGrant>[] = [
  { title: 'GRANT', text: (grant) => grant.grant_id },
  { title: 'ACCOUNT', leftOut: 2, text: (grant) => grant.account_id },
  { title: 'CATEGORY', leftOut: 3, text: (grant) => grant.category },
  { title: 'STATUS', leftOut: 4, text: (grant) => grant.status },
  { title: 'AMOUNT', align: 'decimal', leftOut: 1, text: (grant) => grant.amount },
  { title: 'REMAINING', align: 'decimal', text: (grant) => grant.remaining },
  { title: 'EXPIRES', text: (grant) => grant.expires_at ?? 'never' },
]

const holdColumns: readonly Column<ListedHold>[] = [
  { title: 'REQUEST', text: (hold) => hold.request_id },
  { title: 'ACCOUNT', leftOut: 1, text: (hold) => hold.account_id },
  { title: 'HELD', align: 'decimal', text: (hold) => hold.held },
  { title: 'SINCE', text: (hold) => hold.held_since },
  { title: 'DEADLINE', leftOut: 2, text: (hold) => hold.deadline },
]
