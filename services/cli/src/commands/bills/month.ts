/** `svc month` */

import { type MonthCustomer, type MonthReport, monthAmounts } from '@svc/contracts/admin/finance'
import { csvLine, csvText } from '@svc/contracts/csv'
import { systemClock } from '@svc/infra/system/system-clock'
import { Command, Option } from 'commander'
import type { Context } from '../../context/context.ts'
import { checkMonth } from '../../output/checked-month.ts'
import { type Column, tableText } from '../../output/table.ts'
import type { ContextOf } from '../options.ts'

interface MonthOptions {
  readonly tz: string
  readonly format: 'table' | 'csv'
}

const columns: readonly Column<MonthCustomer>[] = [
  { title: 'CUSTOMER', cutTo: 16, text: (line) => line.name },
  { title: 'ACCOUNT', leftOut: 9, text: (line) => line.account_id },
  ...monthAmounts.map((name, index): Column<MonthCustomer> => {
    return {
      title: name.toUpperCase(),
      align: 'decimal',
      text: (line) => line[name],
      ...(name === 'opening' || name === 'closing' ? {} : { leftOut: monthAmounts.length - index }),
    }
  }),
]

export function monthCommand(contextOf: ContextOf): Command {
  return new Command('month')
    .description(
      'what moved the balances of all customers in a month; it adds up, or says where not',
    )
    .argument('<month>', 'such as 2026-10')
    .option('--tz <zone>', 'the time zone whose month it is, such as Europe/Berlin', 'UTC')
    .addOption(
      new Option('--format <format>', 'how to write it').choices(['table', 'csv']).default('table'),
    )
    .action((month: string, options: MonthOptions, command: Command) =>
      showMonth(contextOf(command), month, options),
    )
}

async function showMonth(context: Context, month: string, options: MonthOptions): Promise<void> {
  const report = await context.withOperations((operations) =>
    operations.month({ month, zone: options.tz }),
  )
  checkMonth(report)
  if (context.json) return context.outJson('month/1', report)
  await context.out(options.format === 'csv' ? csvOf(report) : tableOf(context, report))
  if (!report.over) context.note(openMonthText(report))
}

function openMonthText({ month, zone, from }: MonthReport): string {
  const state = Date.parse(from) > systemClock.nowMs() ? 'has not begun' : 'is not over'
  return `${month} ${state} in ${zone}: these figures go on changing`
}

function tableOf(context: Context, report: MonthReport): string {
  const { month, zone, from, to, position, customers, totals } = report
  const total: MonthCustomer = {
    name: 'all customers',
    account_id: '',
    external_id: null,
    ...totals,
  }
  const head =
    `Month ${month} in ${zone}, USD, at position ${position}\n` + `from ${from}, before ${to}\n\n`
  return head + tableText(context, columns, [...customers, total])
}

function csvOf({ customers, totals }: MonthReport): string {
  const lines = customers.map((customer) =>
    csvLine([
      customer.account_id,
      csvText(customer.external_id ?? ''),
      csvText(customer.name),
      ...monthAmounts.map((name) => customer[name]),
    ]),
  )
  const head = csvLine([
    'account_id',
    'external_id',
    'name',
    ...monthAmounts.map((name) => `${name}_usd`),
  ])
  const foot = csvLine(['', '', 'all customers', ...monthAmounts.map((name) => totals[name])])
  return head + lines.join('') + foot
}
