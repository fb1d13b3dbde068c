/** `svc account grant` */
import { DEFAULT_GRANT_PRIORITY, GRANT_PRIORITY_MAX } from '@svc/contracts/events/account'
import { type Command, Option } from 'commander'
import type { Context } from '../../context/context.ts'
import {
  ACCOUNT_OPTION,
  type AccountOption,
  type ContextOf,
  IDEMPOTENCY_OPTION,
  namedAccount,
  type OnceOption,
  onceKey,
  optionalMoment,
  wholeNumber,
} from '../options.ts'
import { move } from './corrections.ts'

interface GrantOptions extends AccountOption, OnceOption {
  readonly reason: string
  readonly ref?: string
  readonly category: 'paid' | 'promotional'
  readonly priority: string
  readonly expires?: string
  readonly dryRun?: true
}

export function addGrant(account: Command, contextOf: ContextOf): void {
  account
    .command('grant')
    .description('give an account credit, in dollars: svc account grant acct_… 5.00 --reason …')
    .argument('<account-or-amount>', 'id of the account; or the amount, with --account')
    .argument('[amount]', 'dollars, above zero, such as 5.00')
    .option(...ACCOUNT_OPTION)
    .requiredOption('--reason <text>', 'why, for the statement')
    .option('--ref <reference>', 'the payment, such as INV-42: the same one is granted once')
    .addOption(
      new Option('--category <category>', 'what kind of credit')
        .choices(['paid', 'promotional'])
        .default('paid'),
    )
    .option(
      '--priority <number>',
      `lower is spent first, 0 to ${GRANT_PRIORITY_MAX}`,
      `${DEFAULT_GRANT_PRIORITY}`,
    )
    .option('--expires <time>', 'when what is left of it ends (default: never)')
    .option('--dry-run', 'show the balance before and after, and do nothing')
    .option(...IDEMPOTENCY_OPTION)
    .action((first: string, second: string | undefined, options: GrantOptions, command: Command) =>
      grant(contextOf(command), first, second, options),
    )
}

async function grant(
  context: Context,
  first: string,
  second: string | undefined,
  options: GrantOptions,
): Promise<void> {
  const amount = second ?? first
  const accountId = namedAccount(second === undefined ? undefined : first, options)
  const asked = {
    account_id: accountId,
    amount,
    category: options.category,
    priority: wholeNumber('--priority', options.priority, 0, GRANT_PRIORITY_MAX),
    expires_at: optionalMoment('--expires', options.expires),
    reference: options.ref ?? null,
    reason: options.reason,
    ...onceKey(options),
  }
  if (options.dryRun === true) {
    return move(context, 'grant-preview/1', options, () =>
      context.withOperations((operations) => operations.previewGrant(asked)),
    )
  }
  const granted = await context.withOperations((operations) => operations.grant(asked))
  if (context.json) return context.outJson('grant/2', granted)
  await context.out(`${granted.grant_id}\n`)
  const done = granted.created ? `granted ${amount} USD` : 'it had been granted before'
  context.note(`${done}; see it with: svc statement ${accountId}`)
}
