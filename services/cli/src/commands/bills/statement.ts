/** `svc statement` */
import { createHash } from 'node:crypto'
import type { StatementPage } from '@svc/contracts/admin/billing'
import type { Operations } from '@svc/contracts/admin/operations'
import { StatementChangedError, statementText } from '@svc/contracts/statement-text'
import type { StatementWriter } from '@svc/contracts/statement-writer'
import { readZone, startOfDay, type Zone } from '@svc/contracts/zone'
import { Command, Option } from 'commander'
import type { Context } from '../../context/context.ts'
import { CliError, EXIT_DIFFERENCE, EXIT_USAGE } from '../../context/exit-codes.ts'
import { CheckedStatement } from '../../output/checked-statement.ts'
import { statementWriters } from '../../output/statement-formats.ts'
import { noteLeftOut } from '../../output/table.ts'
import {
  type AccountOption,
  aboutAccount,
  type ContextOf,
  moment,
  readAccount,
} from '../options.ts'
import { noteOpenPeriod } from './period-options.ts'

const PAGE_ENTRIES = 500

interface StatementOptions extends AccountOption {
  readonly from?: string
  readonly to?: string
  readonly tz: string
  readonly format?: keyof typeof statementWriters
}

export function statementCommand(contextOf: ContextOf): Command {
  return aboutAccount(new Command('statement'), contextOf, statement)
    .description('every movement of an account, with the balance after it')
    .option('--from <time>', 'from this time on: 2026-11-01 or RFC 3339')
    .option('--to <time>', 'before this time')
    .option('--tz <zone>', 'the time zone whose days they are, such as Europe/Berlin', 'UTC')
    .addOption(
      new Option('--format <format>', 'how to write it (default: table)').choices(
        Object.keys(statementWriters),
      ),
    )
}

async function statement(
  context: Context,
  argument: string | undefined,
  options: StatementOptions,
): Promise<void> {
  const zone = zoneOf(options.tz)
  const period = {
    from: options.from === undefined ? undefined : momentIn(zone, '--from', options.from),
    to: options.to === undefined ? undefined : momentIn(zone, '--to', options.to),
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

interface Query {
  readonly account_id: string
  readonly from: string | undefined
  readonly to: string | undefined
}

async function write(
  context: Context,
  writer: StatementWriter,
  operations: Operations,
  query: Query,
  zone: Zone,
): Promise<void> {
  const { stop } = context.terminal
  const pages = () => checkedPages(operations, query, stop)
  try {
    for await (const text of statementText({ ...query, zone, pages }, writer, sha256)) {
      // The reader has stopped: what was read until then is not all of it.
      if (stop.aborted) return
      await context.out(text)
    }
  } catch (error) {
    if (stop.aborted) return
    if (!(error instanceof StatementChangedError)) throw error
    throw new CliError(EXIT_DIFFERENCE, error.message)
  }
  noteLeftOut(context, writer.leftOut)
  if (query.to !== undefined && !context.json) noteOpenPeriod(context, query.to)
}

const sha256 = () => createHash('sha256')

async function* checkedPages(
  operations: Operations,
  query: Query,
  stop: AbortSignal,
): AsyncGenerator<StatementPage> {
  const checked = new CheckedStatement(query.from === undefined)
  let after: number | undefined
  do {
    const page: StatementPage = await operations.statement({
      ...query,
      after,
      limit: PAGE_ENTRIES,
    })
    checked.check(page)
    yield page
    after = page.more ? page.rows.at(-1)?.entry : undefined
  } while (after !== undefined && !stop.aborted)
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
