/** `svc requests`: the requests of an account, as its own keys can ask by `GET /v1/requests`. */
import { parseDollars } from '@svc/contracts/money'
import { requestStatus } from '@svc/contracts/wire/billing'
import type { RequestsAnswer } from '@svc/contracts/wire/requests'
import { Command, Option } from 'commander'
import type { Context } from '../../context/context.ts'
import { type Column, tableText } from '../../output/table.ts'
import {
  type AccountOption,
  aboutAccount,
  type ContextOf,
  readAccount,
  wholeNumber,
} from '../options.ts'
import { type PeriodOptions, periodInput, withPeriod } from './period-options.ts'

const LIMIT_MAX = 100

interface RequestsOptions extends AccountOption, PeriodOptions {
  readonly status?: RequestsAnswer['data'][number]['status']
  readonly limit: string
}

const columns: readonly Column<RequestsAnswer['data'][number]>[] = [
  { title: 'REQUEST', text: ({ id }) => id },
  { title: 'CREATED', leftOut: 2, text: (request) => request.created_at },
  { title: 'KEY', cutTo: 8, text: ({ key }) => key.name ?? key.id },
  { title: 'MODEL', leftOut: 3, text: ({ model }) => model },
  { title: 'FORMAT', leftOut: 4, text: ({ format }) => format },
  { title: 'STATUS', text: ({ status }) => status },
  { title: 'TOKENS', align: 'right', leftOut: 1, text: tokensOf },
  { title: 'COST', align: 'decimal', text: ({ amount }) => amount },
  { title: 'REFUNDED', align: 'decimal', leftOut: 5, text: refundedOf },
]

export function requestsCommand(contextOf: ContextOf): Command {
  const command = aboutAccount(new Command('requests'), contextOf, showRequests).description(
    'the requests of an account, the newest first',
  )
  return withPeriod(command)
    .addOption(
      new Option('--status <status>', 'only with this status').choices(requestStatus.options),
    )
    .option('--limit <number>', 'at most this many', '20')
}

async function showRequests(
  context: Context,
  argument: string | undefined,
  options: RequestsOptions,
): Promise<void> {
  const { status } = options
  const limit = wholeNumber('--limit', options.limit, 1, LIMIT_MAX)
  const answer = await context.withOperations(async (operations) =>
    operations.accountRequests({
      account_id: await readAccount(operations, argument, options),
      limit,
      ...periodInput(options),
      status,
    }),
  )
  if (context.json) return context.outJson('requests/1', answer)
  await context.out(tableText(context, columns, answer.data))
  const { next_cursor: next } = answer
  if (answer.data.length === 0 && next === null) context.note('there are no such requests')
  if (next !== null) context.note(`more requests follow: --cursor ${next}`)
}

/** The three classes are disjoint. */
function tokensOf({ usage }: RequestsAnswer['data'][number]): string {
  if (usage === null) return ''
  return `${usage.input_tokens + usage.cached_input_tokens + usage.output_tokens}`
}

/** Most requests are never refunded: a blank lets the others stand out. */
function refundedOf({ refunded }: RequestsAnswer['data'][number]): string {
  return parseDollars(refunded) === 0n ? '' : refunded
}
