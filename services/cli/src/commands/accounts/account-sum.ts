/** `svc account sum` */
import { listedStatuses } from '@svc/contracts/admin/accounts'
import { type Command, Option } from 'commander'
import type { Context } from '../../context/context.ts'
import { factsText } from '../../output/facts.ts'
import type { ContextOf } from '../options.ts'

interface SumOptions {
  readonly status?: (typeof listedStatuses)[number]
}

export function addSum(account: Command, contextOf: ContextOf): void {
  account
    .command('sum')
    .description('how many accounts there are, and what their balances come to')
    .addOption(new Option('--status <status>', 'those that are so').choices(listedStatuses))
    .action((options: SumOptions, command: Command) => sum(contextOf(command), options))
}

async function sum(context: Context, options: SumOptions): Promise<void> {
  const sums = await context.withOperations((operations) => operations.sumAccounts(options))
  if (context.json) return context.outJson('account-sums/1', sums)
  await context.out(
    factsText([
      ['accounts', `${sums.accounts}${sums.damaged === 0 ? '' : `, ${sums.damaged} damaged`}`],
      ['settled', `${sums.settled} USD`],
      ['held', `${sums.held} USD by ${sums.open_requests} running`],
      ['available', `${sums.available} USD`],
      ['spent in 30 days', `${sums.spent_30_days} USD`],
    ]),
  )
}
