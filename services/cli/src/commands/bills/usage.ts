/** `svc usage`: what an account used, as its own keys can ask by `GET /v1/usage`. */
import type { UsageAnswer } from '@svc/contracts/wire/usage'
import { timeSteps } from '@svc/contracts/zone'
import { Command, Option } from 'commander'
import type { Context } from '../../context/context.ts'
import { type Column, tableText } from '../../output/table.ts'
import { type AccountOption, aboutAccount, type ContextOf, readAccount } from '../options.ts'
import { noteOpenPeriod, type PeriodOptions, periodInput, withPeriod } from './period-options.ts'

interface UsageOptions extends AccountOption, PeriodOptions {
  readonly by: (typeof timeSteps)[number]
  readonly groupBy?: string
}

type UsageRow = UsageAnswer['data'][number]

export function usageCommand(contextOf: ContextOf): Command {
  const command = aboutAccount(new Command('usage'), contextOf, showUsage).description(
    'what an account used: requests, tokens and cost',
  )
  return withPeriod(command)
    .addOption(new Option('--by <step>', 'a row for each').choices(timeSteps).default('day'))
    .option('--group-by <names>', 'also by some of key, model, format and class, with commas')
}

async function showUsage(
  context: Context,
  argument: string | undefined,
  options: UsageOptions,
): Promise<void> {
  const { by, groupBy } = options
  const answer = await context.withOperations(async (operations) =>
    operations.accountUsage({
      account_id: await readAccount(operations, argument, options),
      by,
      ...periodInput(options),
      group_by: groupBy,
    }),
  )
  if (context.json) return context.outJson('usage/1', answer)
  const { zone, from, to, data, total, next_cursor: next } = answer
  const head = `Usage in ${zone}, USD\nfrom ${from}, before ${to}\n\n`
  const sum: UsageRow = { ...total, from: 'total', to: '' }
  await context.out(head + tableText(context, columnsOf(answer), [...data, sum]))
  if (options.to !== undefined) noteOpenPeriod(context, to)
  if (next !== null) context.note(`more rows follow: --cursor ${next}`)
}

function columnsOf({ group_by: groups }: UsageAnswer): readonly Column<UsageRow>[] {
  const isByClass = groups.includes('class')
  return [
    { title: 'FROM', text: (row) => row.from },
    ...groups.map((group): Column<UsageRow> => {
      return { title: group.toUpperCase(), cutTo: 12, text: (row) => nameOf(row, group) }
    }),
    // A request is in the rows of all three classes.
    ...(isByClass ? [] : [requestsColumn]),
    ...(isByClass ? [tokensColumn] : [...classColumns]),
    { title: 'COST', align: 'decimal', text: ({ amount }) => amount },
  ]
}

const requestsColumn: Column<UsageRow> = {
  title: 'REQUESTS',
  align: 'right',
  text: ({ requests }) => `${requests ?? ''}`,
}
const tokensColumn: Column<UsageRow> = {
  title: 'TOKENS',
  align: 'right',
  text: ({ lines }) => `${lines.reduce((sum, { tokens }) => sum + tokens, 0)}`,
}
const classColumns = (['input', 'cached_input', 'output'] as const).map(
  (name): Column<UsageRow> => ({
    title: name.replace('_', ' ').toUpperCase(),
    align: 'right',
    text: ({ lines }) => `${lines.find((line) => line.class === name)?.tokens ?? 0}`,
  }),
)

function nameOf(row: UsageRow, group: UsageAnswer['group_by'][number]): string {
  if (group === 'key') return row.key?.name ?? row.key?.id ?? ''
  return row[group] ?? ''
}
