/** `svc price correct` */
import type { CorrectedAccount, CorrectionResult } from '@svc/contracts/admin/corrections'
import { counted } from '@svc/contracts/counted'
import { printable } from '@svc/contracts/printable'
import { Command } from 'commander'
import type { Context } from '../../context/context.ts'
import { CliError, EXIT_DIFFERENCE } from '../../context/exit-codes.ts'
import { factsText } from '../../output/facts.ts'
import { drawnResult } from '../../output/progress.ts'
import { type Column, tableText } from '../../output/table.ts'
import { type MovementOptions, movementInput, movementOptions } from '../accounts/corrections.ts'
import { type ContextOf, optionalMoment } from '../options.ts'

interface CorrectOptions extends MovementOptions {
  readonly input: string
  readonly cachedInput: string
  readonly output: string
  readonly from?: string
  readonly to?: string
}

const columns: readonly Column<Omit<CorrectedAccount, 'type'>>[] = [
  { title: 'ACCOUNT', text: ({ account_id: id }) => id },
  { title: 'NAME', cutTo: 20, leftOut: 1, text: ({ name }) => printable(name) },
  { title: 'REQUESTS', align: 'right', leftOut: 2, text: ({ requests }) => `${requests}` },
  { title: 'CHARGED', align: 'decimal', text: ({ before }) => before },
  { title: 'RIGHT', align: 'decimal', text: ({ after }) => after },
  { title: 'DUE', align: 'decimal', text: ({ amount }) => amount },
]

const rates = ['input', 'cached_input', 'output'] as const
const ratesText = (prices: CorrectionResult['old']) => rates.map((rate) => prices[rate]).join(' / ')

export function priceCorrectCommand(contextOf: ContextOf): Command {
  return movementOptions(
    new Command('correct')
      .description(
        'set right what requests were charged at a wrong price, account by account: ' +
          'try it with --dry-run, then do it with --idempotency-key',
      )
      .argument('<price>', 'id of the price that was wrong, price_…')
      .requiredOption('--input <dollars>', 'as it should have been, per million tokens')
      .requiredOption('--cached-input <dollars>', 'as it should have been')
      .requiredOption('--output <dollars>', 'as it should have been')
      .option('--from <time>', 'requests that came in from then on (default: all)')
      .option('--to <time>', 'and before then (default: all, of a price no longer in force)'),
  ).action((version: string, options: CorrectOptions, command: Command) =>
    correct(contextOf(command), version, options),
  )
}

async function correct(context: Context, version: string, options: CorrectOptions): Promise<void> {
  const { accounts, result } = await corrected(context, version, options)
  if (context.json) await context.outJson('price-correction/1', { ...result, accounts })
  else await print(context, accounts, result)
  const { problems, dry_run: isTried } = result
  if (problems > 0 && !isTried) {
    throw new CliError(EXIT_DIFFERENCE, `${counted(problems, 'account')} could not be corrected`)
  }
}

async function corrected(
  context: Context,
  version: string,
  { input, cachedInput, output, from, to, ...moving }: CorrectOptions,
) {
  const asked = {
    version,
    input,
    cached_input: cachedInput,
    output,
    from: optionalMoment('--from', from),
    to: optionalMoment('--to', to),
    ...movementInput(moving),
  }
  return context.withOperations(async (operations) => {
    const accounts: Omit<CorrectedAccount, 'type'>[] = []
    const line = await drawnResult(context, operations.correctPrice(asked), {
      shown: ({ accounts: done, total }) => [
        done / total,
        `${done} of ${counted(total, 'account')}`,
      ],
      interrupted: 'interrupted: the same command with the same idempotency key goes on',
      async onLine({ type: _, ...account }) {
        accounts.push(account)
      },
    })
    const { type: _, accounts: __, ...result } = line
    return { accounts, result }
  })
}

async function print(
  context: Context,
  accounts: readonly Omit<CorrectedAccount, 'type'>[],
  result: Omit<CorrectionResult, 'type' | 'accounts'>,
): Promise<void> {
  const { run_id, version, price_list, requests, before, after, amount, created } = result
  await context.out(
    [
      tableText(context, columns, accounts),
      factsText([
        ...(run_id === null ? [] : [['run', run_id] as const]),
        ['price', `${version} of the list "${price_list}"`],
        ['was', `${ratesText(result.old)} USD per million`],
        ['should have been', `${ratesText(result.new)} USD per million`],
        ['requests', `${requests}, from ${result.from} to ${result.to}`],
        ['charged', `${before} USD`],
        ['right', `${after} USD`],
        ['due', `${amount} USD`],
      ]),
    ].join('\n'),
  )
  for (const { account_id: id, problem } of accounts) {
    if (problem !== null) await context.out(`${context.alarm(id)}  ${printable(problem)}\n`)
  }
  const tried = 'nothing was changed: with --idempotency-key in place of --dry-run it is done'
  if (result.dry_run) context.note(tried)
  else context.note(`${counted(created, 'account')} corrected now`)
}
