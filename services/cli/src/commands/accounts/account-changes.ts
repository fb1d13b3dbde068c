/** `svc account freeze|unfreeze|close|rename|set-policy|erase` */
import type { Operations } from '@svc/contracts/admin/operations'
import { spendPolicy } from '@svc/contracts/events/account'
import { Argument, type Command, Option } from 'commander'
import type { Context } from '../../context/context.ts'
import {
  type ContextOf,
  confirmed,
  IDEMPOTENCY_OPTION,
  type OnceOption,
  onceKey,
} from '../options.ts'
import { type MovementOptions, move, movementInput, movementOptions } from './corrections.ts'

interface ChangeOptions extends OnceOption {
  readonly reason: string
}

interface EraseOptions extends ChangeOptions {
  readonly dryRun?: true
  readonly yes?: true
}

interface CloseOptions extends MovementOptions {
  readonly remainder: 'none' | 'written_off' | 'paid_out'
  readonly yes?: true
}

const ACCOUNT = ['<account>', 'id of the account, acct_…'] as const

export function addAccountChanges(account: Command, contextOf: ContextOf): void {
  changeOptions(
    account
      .command('freeze')
      .description('refuse all requests of an account until it is unfrozen, and stop what runs')
      .argument(...ACCOUNT),
  ).action((id: string, options: ChangeOptions, command: Command) =>
    change(contextOf(command), id, (operations) =>
      operations.freezeAccount({ account_id: id, ...changeInput(options) }),
    ),
  )
  changeOptions(
    account
      .command('unfreeze')
      .description('take requests of an account again')
      .argument(...ACCOUNT),
  ).action((id: string, options: ChangeOptions, command: Command) =>
    change(contextOf(command), id, (operations) =>
      operations.unfreezeAccount({ account_id: id, ...changeInput(options) }),
    ),
  )
  addNaming(account, contextOf)
  addClosing(account, contextOf)
  addErasing(account, contextOf)
}

function addNaming(account: Command, contextOf: ContextOf): void {
  changeOptions(
    account
      .command('rename')
      .description('give an account another name')
      .argument(...ACCOUNT)
      .argument('<name>', 'what it is called from now on'),
  ).action((id: string, name: string, options: ChangeOptions, command: Command) =>
    change(contextOf(command), id, (operations) =>
      operations.renameAccount({ account_id: id, name, ...changeInput(options) }),
    ),
  )
  changeOptions(
    account
      .command('set-policy')
      .description('say how the last credit of an account is spent')
      .argument(...ACCOUNT)
      .addArgument(new Argument('<policy>', 'standard or strict').choices(spendPolicy.options)),
  ).action((id: string, policy: string, options: ChangeOptions, command: Command) =>
    change(contextOf(command), id, (operations) => {
      const policies = { spend_policy: policy as 'standard' | 'strict' }
      return operations.setSpendPolicy({ account_id: id, ...policies, ...changeInput(options) })
    }),
  )
}

function addClosing(account: Command, contextOf: ContextOf): void {
  movementOptions(
    account
      .command('close')
      .description('end an account and its keys for ever')
      .argument(...ACCOUNT)
      .addOption(
        new Option('--remainder <what>', 'what becomes of a balance that is not zero')
          .choices(['none', 'written_off', 'paid_out'])
          .default('none'),
      )
      .option('--yes', 'do not ask'),
  ).action(async (id: string, options: CloseOptions, command: Command) => {
    const context = contextOf(command)
    const { remainder, yes, dryRun } = options
    const question = `End ${id} and its keys for ever?`
    await move(context, 'account-closed/1', options, async () => {
      const input = { account_id: id, remainder, ...movementInput(options) }
      if (dryRun !== true) {
        const preview = (operations: Operations) =>
          operations.closeAccount({ ...input, dry_run: true })
        await confirmedPossible(context, question, preview, yes)
      }
      return context.withOperations((operations) => operations.closeAccount(input))
    })
  })
}

function addErasing(account: Command, contextOf: ContextOf): void {
  changeOptions(
    account
      .command('erase')
      .description('erase names, reasons and references of an account, for ever')
      .argument(...ACCOUNT)
      .option('--dry-run', 'say how many texts would go, and erase none')
      .option('--yes', 'do not ask'),
  ).action(async (id: string, options: EraseOptions, command: Command) => {
    const context = contextOf(command)
    const { dryRun = false, yes } = options
    const question = `Erase all texts of ${id}? They cannot be brought back.`
    const input = { account_id: id, dry_run: dryRun, ...changeInput(options) }
    if (!dryRun) {
      const preview = (operations: Operations) => operations.eraseTexts({ ...input, dry_run: true })
      await confirmedPossible(context, question, preview, yes)
    }
    const erased = await context.withOperations((operations) => operations.eraseTexts(input))
    if (context.json) return context.outJson('account-erased/1', erased)
    await context.out(`${id}\n`)
    const texts = `${erased.texts} ${erased.texts === 1 ? 'text' : 'texts'}`
    context.note(dryRun ? `${texts} would be erased: nothing was` : `${texts} erased`)
  })
}

/** What would be refused is refused before anybody is asked. Nothing is open while they think. */
async function confirmedPossible(
  context: Context,
  question: string,
  preview: (operations: Operations) => Promise<unknown>,
  yes: true | undefined,
): Promise<void> {
  if (yes === true) return
  await context.withOperations(preview)
  await confirmed(context, question, yes)
}

export function changeOptions(command: Command): Command {
  return command.requiredOption('--reason <text>', 'why').option(...IDEMPOTENCY_OPTION)
}

export function changeInput({ reason, ...once }: ChangeOptions) {
  return { reason, ...onceKey(once) }
}

/** Does it, prints the id, and says whether it changed anything. */
export async function change(
  context: Context,
  id: string,
  work: (operations: Operations) => Promise<{ readonly changed: boolean }>,
): Promise<void> {
  const made = await context.withOperations(work)
  if (context.json) return context.outJson('change/1', made)
  await context.out(`${id}\n`)
  context.note(made.changed ? 'changed' : 'it was so already: nothing was changed')
}
