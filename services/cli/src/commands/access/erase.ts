/** `svc erase` */
import { Command } from 'commander'
import { type ContextOf, confirmed } from '../options.ts'

interface EraseOptions {
  readonly reason: string
  readonly dryRun?: true
  readonly yes?: true
}

export function eraseCommand(contextOf: ContextOf): Command {
  return new Command('erase')
    .description(
      'erase what was written about a token, a price, a correction or an erasure, for ever',
    )
    .argument(
      '<id>',
      'of a revoked token, tok_…, a withdrawn price, price_…, a run, run_…, or an erasure, chg_…',
    )
    .requiredOption('--reason <text>', 'why')
    .option('--dry-run', 'say how many texts would go, and erase none')
    .option('--yes', 'do not ask')
    .action(async (subject: string, options: EraseOptions, command: Command) => {
      const context = contextOf(command)
      const { reason, dryRun = false, yes } = options
      const question = `Erase all texts of ${subject}? They cannot be brought back.`
      if (!dryRun) await confirmed(context, question, yes)
      const erased = await context.withOperations((operations) =>
        operations.eraseSubjectTexts({ subject, reason, dry_run: dryRun }),
      )
      if (context.json) return context.outJson('texts-erased/1', erased)
      await context.out(`${subject}\n`)
      const texts = `${erased.texts} ${erased.texts === 1 ? 'text' : 'texts'}`
      context.note(dryRun ? `${texts} would be erased: nothing was` : `${texts} erased`)
    })
}
