/** `svc statement` */
import { createHash } from 'node:crypto'
import type { StatementPage } from '@svc/contracts/admin/billing'
import type { Operations } from '@svc/contracts/admin/operations'
import type { StatementEntry } from '@svc/contracts/wire/statement'
import { readZone, startOfDay, type Zone } from '@svc/contracts/zone'
import { Command, Option } from 'commander'
import type { Context } from '../../context/context.ts'
import { CliError, EXIT_DIFFERENCE, EXIT_USAGE } from '../../context/exit-codes.ts'
import { CheckedStatement } from '../../output/checked-statement.ts'
import { rowLine, statementWriters } from '../../output/statement-formats.ts'
import type {
  StatementHead,
  StatementPeriod,
  StatementWriter,
} from '../../output/statement-writer.ts'
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
  readonly tz: string
  readonly format?: keyof typeof statementWriters
}

export function statementCommand(contextOf: ContextOf): Command {
  return new Command('statement')
    .description('every movement of an account, with the balance after it')
    .argument(...ACCOUNT_ARGUMENT)
    .option(...ACCOUNT_OPTION)
    .option('--from <time>', 'from this time on: 2026-11-01 or RFC 3339')
    .option('--to <time>', 'before this time')
    .option('--tz <zone>', 'the time zone whose days they are, such as Europe/Berlin', 'UTC')
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
  const zone = zoneOf(options.tz)
  const period: { from?: string; to?: string } = {
    ...(options.from === undefined ? {} : { from: momentIn(zone, '--from', options.from) }),
    ...(options.to === undefined ? {} : { to: momentIn(zone, '--to', options.to) }),
  }
  if (period.from !== undefined && period.to !== undefined && period.from > period.to) {
    throw new CliError(EXIT_USAGE, `--from ${period.from} is after --to ${period.to}`)
  }
  const format = context.json ? 'json' : (options.format ?? 'table')
  const writer = statementWriters[format](context.terminal.columns)
  await context.withOperations(async (operations) => {
    const accountId = await readAccount(operations, argument, options)
    await write(context, writer, operations, { account_id: accountId, ...period }, zone)
  })
}

type Query = { readonly account_id: string; readonly from?: string; readonly to?: string }

/**
 * Twice: all of it is added up before its first line is written, so that nothing of a statement
 * that is wrong is ever shown. Page by page: any length needs the memory of one page.
 */
async function write(
  context: Context,
  writer: StatementWriter,
  operations: Operations,
  query: Query,
  zone: Zone,
): Promise<void> {
  const { stop } = context.terminal
  const sums = await readPages(operations, query, stop)
  if (stop.aborted) return
  const head: StatementHead = { ...query, zone, currency: 'USD', ...sums }
  await context.out(writer.opening(head))
  let isFirst = true
  const again = await readPages(operations, query, stop, sums.rows, async (rows) => {
    await context.out(writer.rows(rows, isFirst))
    isFirst = false
  })
  if (stop.aborted) return
  if (again.sha256 !== sums.sha256) {
    throw new CliError(EXIT_DIFFERENCE, 'the statement changed while it was written: ask again')
  }
  await context.out(writer.closing(head))
  noteLeftOut(context, writer.leftOut)
}

/** @param rowsMax rows that came since the first reading are left out */
async function readPages(
  operations: Operations,
  query: Query,
  stop: AbortSignal,
  rowsMax = Number.MAX_SAFE_INTEGER,
  onRows: (rows: readonly StatementEntry[]) => Promise<void> = async () => {},
): Promise<Omit<StatementHead, keyof StatementPeriod | 'zone' | 'currency'>> {
  const checked = new CheckedStatement(query.from === undefined)
  const digest = createHash('sha256')
  let page: StatementPage = await operations.statement({ ...query, limit: PAGE_ENTRIES })
  const { opening, position } = page
  let rows = 0
  for (let closing = opening; ; ) {
    checked.check(page)
    const taken = page.rows.slice(0, rowsMax - rows)
    for (const row of taken) digest.update(rowLine(row))
    await onRows(taken)
    rows += taken.length
    const last = taken.at(-1)
    closing = last?.balance ?? closing
    if (!page.more || last === undefined || rows >= rowsMax || stop.aborted) {
      return { position, opening, closing, rows, sha256: digest.digest('hex') }
    }
    page = await operations.statement({ ...query, after: last.entry, limit: PAGE_ENTRIES })
  }
}

function zoneOf(name: string): Zone {
  try {
    return readZone(name)
  } catch (error) {
    throw new CliError(EXIT_USAGE, `--tz: ${error instanceof Error ? error.message : error}`)
  }
}

/** A day begins when it does in the zone. */
function momentIn(zone: Zone, option: string, text: string): string {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text)
  const utc = moment(option, text)
  return isDay ? new Date(startOfDay(text, zone)).toISOString() : utc
}
