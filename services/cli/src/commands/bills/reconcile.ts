/** `svc reconcile` */
import type { EquationName, ReconcileResult } from '@svc/contracts/admin/finance'
import { counted } from '@svc/contracts/counted'
import { printable } from '@svc/contracts/printable'
import { Command } from 'commander'
import type { Context } from '../../context/context.ts'
import { CliError, EXIT_DIFFERENCE } from '../../context/exit-codes.ts'
import { resultOf } from '../../output/progress.ts'
import { type Column, tableText } from '../../output/table.ts'
import type { ContextOf } from '../options.ts'

const says: Record<EquationName, string> = {
  meters: 'worker meters = metered',
  debits: 'metered × pinned price = debited',
  balances: 'grants − debits ± corrections = balance = full replay',
  postings: 'postings of every event balanced, trial balance zero',
  views: 'views = log',
}
const units: Record<EquationName, string> = {
  meters: 'tokens',
  debits: 'USD',
  balances: 'USD',
  postings: 'USD',
  views: 'rows',
}

const equationColumns: readonly Column<ReconcileResult['equations'][number]>[] = [
  { title: 'EQUATION', text: ({ name }) => says[name] },
  { title: 'HOLDS', text: ({ ok }) => (ok ? 'yes' : 'NO') },
  { title: 'DIFFERENCE', text: ({ name, difference }) => `${difference} ${units[name]}` },
]

const bookColumns: readonly Column<ReconcileResult['trial_balance'][number]>[] = [
  { title: 'TRIAL BALANCE', text: ({ account }) => account },
  { title: 'DEBIT LESS CREDIT, USD', align: 'decimal', text: ({ balance }) => balance },
]

export function reconcileCommand(contextOf: ContextOf): Command {
  return new Command('reconcile')
    .description('hold meters, debits, balances, postings and views against each other')
    .action(async (_options, command: Command) => {
      const context = contextOf(command)
      const result = await context.withOperations((operations) =>
        resultOf(context, operations.reconcile(), 'everything was reconciled'),
      )
      await print(context, result)
      if (result.ok) return
      const broken = result.equations.filter(({ ok }) => !ok).map(({ name }) => name)
      throw new CliError(EXIT_DIFFERENCE, `the books do not add up: ${broken.join(', ')}`)
    })
}

async function print(context: Context, { type: _, ...result }: ReconcileResult): Promise<void> {
  if (context.json) return context.outJson('reconciliation/1', result)
  const { equations, findings, trial_balance: books, events, accounts, position } = result
  await context.out(tableText(context, equationColumns, equations))
  for (const { equation, subject, problem } of findings) {
    await context.out(`${context.alarm(equation)}  ${printable(`${subject}: ${problem}`)}\n`)
  }
  await context.out(`\n${tableText(context, bookColumns, books)}\n`)
  await context.out(
    `${result.ok ? 'reconciled' : 'looked at'}: ${counted(events, 'event')}, ` +
      `${counted(accounts, 'account')}, up to position ${position}\n`,
  )
}
