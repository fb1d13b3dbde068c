/** `svc statement` */
import type { StatementEntry, StatementPage } from '@svc/contracts/admin/billing'
import type { Operations } from '@svc/contracts/admin/operations'
import { Command, Option } from 'commander'
import type { Context } from '../../context/context.ts'
import { CliError, EXIT_USAGE } from '../../context/exit-codes.ts'
import { CheckedStatement } from '../../output/checked-statement.ts'
import { type StatementWriter, statementWriters } from '../../output/statement-formats.ts'
import { noteLeftOut } from '../../output/table.ts'
import {
  ACCOUNT_ARGUMENT,
  ACCOUNT_OPTION,
  type AccountOption,
  type ContextOf,
  moment,
  readAccount,
} from '../options.ts'

const PAGE_ENTRIES = 500

interface StatementOptions extends AccountOption {
  readonly from?: string
  readonly to?: string
  readonly format?: keyof typeof statementWriters
}

export function statementCommand(contextOf: ContextOf): Command {
  return new Command('statement')
    .description('every movement of an account, with the balance after it')
    .argument(...ACCOUNT_ARGUMENT)
    .option(...ACCOUNT_OPTION)
    .option('--from <time>', 'from this time on: 2026-11-01 or RFC 3339; in UTC')
    .option('--to <time>', 'before this time')
    .addOption(
      new Option('--format <format>', 'how to write it (default: table)').choices(
        Object.keys(statementWriters),
      ),
    )
    .action((argument: string | undefined, options: StatementOptions, command: Command) =>
      statement(contextOf(command), argument, options),
    )
}

async function statement(
  context: Context,
  argument: string | undefined,
  options: StatementOptions,
): Promise<void> {
  const period: { from?: string; to?: string } = {
    ...(options.from === undefined ? {} : { from: moment('--from', options.from) }),
    ...(options.to === undefined ? {} : { to: moment('--to', options.to) }),
  }
  if (period.from !== undefined && period.to !== undefined && period.from > period.to) {
    throw new CliError(EXIT_USAGE, `--from ${period.from} is after --to ${period.to}`)
  }
  const format = context.json ? 'json' : (options.format ?? 'table')
  const writer = statementWriters[format](context.terminal.columns)
  await context.withOperations(async (operations) => {
    const accountId = await readAccount(operations, argument, options)
    await write(context, writer, operations, { account_id: accountId, ...period })
  })
}

/**
 * Page by page: a statement of any length needs the memory of one page. Nothing of a page is
 * written before all of it was added up.
 */
async function write(
  context: Context,
  writer: StatementWriter,
  operations: Operations,
  query: { account_id: string; from?: string; to?: string },
): Promise<void> {
  const checked = new CheckedStatement(query.from === undefined)
  let page = await operations.statement({ ...query, limit: PAGE_ENTRIES })
  checked.check(page)
  await context.out(writer.opening({ ...query, opening: page.opening }))
  let rows = 0
  for (;;) {
    await context.out(writer.rows(page.rows, rows === 0))
    rows += page.rows.length
    const last: StatementEntry | undefined = page.rows.at(-1)
    if (!page.more || last === undefined || context.terminal.stop.aborted) break
    const next: StatementPage = await operations.statement({
      ...query,
      after: last.entry,
      limit: PAGE_ENTRIES,
    })
    checked.check(next)
    page = next
  }
  await context.out(writer.closing({ ...query, closing: page.closing, rows }))
  noteLeftOut(context, writer.leftOut)
}
