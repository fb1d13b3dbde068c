/** `svc replay`: the past as the log has it, and the views as they should be. */
import type { CompareResult, ReplayResult, ShownRowDifference } from '@svc/contracts/admin/replay'
import { counted } from '@svc/contracts/counted'
import { jsonText } from '@svc/contracts/json-text'
import { printable } from '@svc/contracts/printable'
import { Command, Option } from 'commander'
import type { Context } from '../../context/context.ts'
import { CliError, EXIT_DIFFERENCE, EXIT_USAGE } from '../../context/exit-codes.ts'
import { CheckedStatement } from '../../output/checked-statement.ts'
import { resultOf } from '../../output/progress.ts'
import { statementColumns } from '../../output/statement-formats.ts'
import { type Column, noteLeftOut, Table, tableText } from '../../output/table.ts'
import { accountColumns } from '../accounts/account-list.ts'
import { detailsText } from '../accounts/account-show.ts'
import { ACCOUNT_ARGUMENT, type ContextOf, place } from '../options.ts'

/** Rows that are written at once. */
const ROWS_WRITTEN = 500

interface ReplayOptions {
  readonly to?: string
  readonly diff?: 'live'
  readonly statement?: true
}

export function replayCommand(contextOf: ContextOf): Command {
  return new Command('replay')
    .description('balances and statements as they were, or the live views against the log')
    .argument(...ACCOUNT_ARGUMENT)
    .option('--to <place>', 'as it was before a day or time, or up to a position of the log')
    .option('--statement', 'the entries of the account up to there, too')
    .addOption(
      new Option('--diff <what>', 'make all views anew and name the rows that differ')
        .choices(['live'])
        .conflicts(['to', 'statement']),
    )
    .action((account: string | undefined, options: ReplayOptions, command: Command) => {
      const context = contextOf(command)
      if (options.diff !== undefined) return compare(context, account)
      if (options.to !== undefined) return replay(context, account, options.to, options.statement)
      throw new CliError(EXIT_USAGE, 'say --to TIME or --to POSITION, or --diff live')
    })
}

async function replay(
  context: Context,
  account: string | undefined,
  to: string,
  statement = false,
): Promise<void> {
  const query = {
    to: place('--to', to),
    statement,
    account_id: account,
  }
  await context.withOperations(async (operations) => {
    const accounts = new RowWriter(context, 'accounts', accountColumns)
    const entries = new RowWriter(context, 'entries', statementColumns)
    const rows = statement ? entries : accounts
    const checked = new CheckedStatement(true)
    const lines = operations.replay(query)
    const result = await resultOf(context, lines, 'the log was replayed', async (line) => {
      if (line.type === 'account') return accounts.add(line.account)
      checked.checkRow(line.entry)
      await entries.add(line.entry)
    })
    await rows.finish(result)
    if (!context.json) await context.out(summaryOf(context, result, rows.count, statement))
  })
}

function summaryOf(
  context: Context,
  { totals, position, events, account }: ReplayResult,
  rows: number,
  statement: boolean,
): string {
  const { accounts, settled, held } = totals
  const details = account === null || statement ? '' : detailsText(context, account)
  const what = statement ? `${rows} entries` : counted(accounts, 'account')
  return (
    `${details}\n${what}: settled ${settled} USD, held ${held} USD\n` +
    `as of position ${position}, replayed from ${counted(events, 'event')}\n`
  )
}

/** Rows on their way out, page by page: there may be any number of them. */
class RowWriter<Row extends object> {
  count = 0
  readonly #context: Context
  readonly #name: string
  readonly #table: Table<Row>
  readonly #waiting: Row[] = []

  constructor(context: Context, name: string, columns: readonly Column<Row>[]) {
    this.#context = context
    this.#name = name
    this.#table = new Table(columns, context.terminal.columns)
  }

  async add(row: Row): Promise<void> {
    this.#waiting.push(row)
    if (this.#waiting.length === ROWS_WRITTEN) await this.#write()
  }

  /** @param result closes the one JSON object that all of it is */
  async finish({ type: _, ...result }: ReplayResult): Promise<void> {
    await this.#write()
    if (!this.#context.json) return noteLeftOut(this.#context, this.#leftOut)
    const opening = this.count === 0 ? this.#opening : ''
    await this.#context.out(`${opening}],${jsonText(result).slice(1)}\n`)
  }

  get #leftOut(): readonly string[] {
    return this.count === 0 ? [] : this.#table.leftOut
  }

  get #opening(): string {
    return `${jsonText({ schema: 'svc.replay/1' }).slice(0, -1)},${jsonText(this.#name)}:[`
  }

  async #write(): Promise<void> {
    const rows = this.#waiting.splice(0)
    const [first] = rows
    if (first === undefined) return
    const isFirst = this.count === 0
    this.count += rows.length
    if (this.#context.json) {
      const text = rows.map(jsonText).join(',')
      await this.#context.out(`${isFirst ? this.#opening : ','}${text}`)
      return
    }
    const header = isFirst ? this.#context.strong(this.#table.header(rows)) : ''
    await this.#context.out(header + this.#table.rows(rows))
  }
}

const comparedColumns: readonly Column<CompareResult['views'][number]>[] = [
  { title: 'VIEW', text: ({ name }) => name },
  { title: 'EVENTS', align: 'right', text: ({ events }) => `${events}` },
  { title: 'ROWS THAT DIFFER', align: 'right', text: ({ differences }) => `${differences}` },
]

async function compare(context: Context, account: string | undefined): Promise<void> {
  if (account !== undefined) {
    throw new CliError(EXIT_USAGE, '--diff live is about all accounts: name none')
  }
  const { type: _, ...result } = await context.withOperations((operations) =>
    resultOf(context, operations.compareViews(), 'all views were compared'),
  )
  if (context.json) await context.outJson('views-compared/1', result)
  else {
    await context.out(tableText(context, comparedColumns, result.views))
    for (const row of result.first) await context.out(`${printable(differenceText(row))}\n`)
  }
  if (result.same) return
  const names = result.views.filter(({ differences }) => differences > 0).map(({ name }) => name)
  throw new CliError(
    EXIT_DIFFERENCE,
    `the live views are not what the log says: ${names.join(', ')}; build them again (svc projection rebuild NAME)`,
  )
}

function differenceText({ view, table, key, live, replayed }: ShownRowDifference): string {
  const columns = (row: ShownRowDifference['key'] | null): string =>
    row === null
      ? 'no such row'
      : Object.entries(row)
          .map(([name, value]) => `${name}=${value}`)
          .join(' ')
  return `${view} ${table} ${columns(key)}: live ${columns(live)}, log ${columns(replayed)}`
}
