/**
 * `svc grant list|void`, `svc refund`, `svc adjust`: mistakes made good, each an event with a
 * reason.
 */
import type { ShownMovement } from '@svc/contracts/admin/corrections'
import { Command, Option } from 'commander'
import type { Context } from '../../context/context.ts'
import { factsText } from '../../output/facts.ts'
import { type ContextOf, IDEMPOTENCY_OPTION, type OnceOption, onceKey } from '../options.ts'
import { addGrantList } from './credit.ts'

export interface MovementOptions extends OnceOption {
  readonly reason: string
  readonly ref?: string
  readonly dryRun?: true
}

interface AdjustOptions extends MovementOptions {
  readonly category: 'paid' | 'promotional'
}

export function grantCommand(contextOf: ContextOf): Command {
  const grant = new Command('grant').description('credit that was given')
  addGrantList(grant, contextOf)
  movementOptions(
    grant
      .command('void')
      .description('take a grant back, also what was spent of it')
      .argument('<account>', 'id of the account, acct_…')
      .argument('<grant>', 'id of the grant, grant_…'),
  ).action((account: string, id: string, options: MovementOptions, command: Command) =>
    move(contextOf(command), 'grant-voided/1', options, (context) =>
      context.withOperations((operations) =>
        operations.voidGrant({ account_id: account, grant_id: id, ...movementInput(options) }),
      ),
    ),
  )
  return grant
}

export function refundCommand(contextOf: ContextOf): Command {
  const refund = new Command('refund')
    .description('give back what a request was charged, or a part of it')
    .argument('<request>', 'id of the request or of its answer: req_…, chatcmpl-…, resp_…, msg_…')
    .argument('[amount]', 'dollars (default: all that is left of the charge)')
  movementOptions(refund).action(
    (request: string, amount: string | undefined, options: MovementOptions, command: Command) =>
      move(contextOf(command), 'refund/1', options, (context) =>
        context.withOperations(async (operations) => {
          const { account_id, id } = await operations.explain({ request_id: request })
          const what = { account_id, request_id: id, amount: amount ?? null }
          return operations.refund({ ...what, ...movementInput(options) })
        }),
      ),
  )
  return refund
}

export function adjustCommand(contextOf: ContextOf): Command {
  const adjust = new Command('adjust')
    .description(
      'change a balance: svc adjust acct_… 5.00, and to take away, svc adjust acct_… -- -5.00',
    )
    .argument('<account>', 'id of the account, acct_…')
    .argument('<amount>', 'dollars; below zero the balance gets less')
    .addOption(
      new Option('--category <category>', 'what kind of credit an amount up is')
        .choices(['paid', 'promotional'])
        .default('paid'),
    )
  movementOptions(adjust).action(
    (account: string, amount: string, options: AdjustOptions, command: Command) =>
      move(contextOf(command), 'adjustment/1', options, (context) =>
        context.withOperations((operations) => {
          const { category } = options
          const what = { account_id: account, amount, category }
          return operations.adjust({ ...what, ...movementInput(options) })
        }),
      ),
  )
  return adjust
}

/** The options of everything that moves a balance. */
export function movementOptions(command: Command): Command {
  return command
    .requiredOption('--reason <text>', 'why, for the statement')
    .option('--ref <reference>', 'a document, such as a credit note')
    .option('--dry-run', 'show the balance before and after, and do nothing')
    .option(...IDEMPOTENCY_OPTION)
}

export function movementInput({ reason, ref, dryRun, ...once }: MovementOptions) {
  return { reason, reference: ref ?? null, dry_run: dryRun === true, ...onceKey(once) }
}

/** Does it, and shows the balance before and after. */
export async function move(
  context: Context,
  schema: string,
  { dryRun }: MovementOptions,
  work: (context: Context) => Promise<ShownMovement>,
): Promise<void> {
  const moved = await work(context)
  if (context.json) return context.outJson(schema, moved)
  const before = moved.balance_before
  await context.out(
    factsText([
      ['id', moved.id],
      ['amount', `${moved.amount} USD`],
      ...(before === null ? [] : [['balance before', `${before} USD`] as const]),
      [before === null ? 'balance' : 'balance after', `${moved.balance_after} USD`],
    ]),
  )
  if (dryRun === true) context.note('nothing was changed: without --dry-run it is done')
  else if (!moved.created) context.note('this had been done before: nothing was changed')
}
