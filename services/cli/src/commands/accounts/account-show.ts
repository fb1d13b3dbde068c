/** `svc account show` */
import type { AccountDetails } from '@svc/contracts/admin/accounts'
import { formatExact, parseDollars } from '@svc/contracts/money'
import type { Command } from 'commander'
import type { Context } from '../../context/context.ts'
import { factsText } from '../../output/facts.ts'
import { resultOf } from '../../output/progress.ts'
import { tableText } from '../../output/table.ts'
import { type AccountOption, aboutAccount, type ContextOf, place, readAccount } from '../options.ts'
import { keyColumns } from './key.ts'

interface ShowOptions extends AccountOption {
  readonly asOf?: string
}

export function addShow(account: Command, contextOf: ContextOf): void {
  aboutAccount(account.command('show'), contextOf, show)
    .description('one account: balance, keys, grants')
    .option('--as-of <place>', 'as it was before a day or time, or up to a position of the log')
}

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
