/** `svc verify` */
import { Command } from 'commander'
import { CliError, EXIT_DIFFERENCE } from '../exit-codes.ts'
import type { ContextOf } from './options.ts'

export function verifyCommand(contextOf: ContextOf): Command {
  return new Command('verify')
    .description('follow the hash chain of every stream: exit 1 when history was altered')
    .action(async (_options, command: Command) => {
      const context = contextOf(command)
      const result = await context.withOperations((operations) => operations.verify())
      const { streams, events, broken, position } = result
      if (context.json) await context.outJson('verification/1', result)
      else if (broken.length === 0) {
        await context.out(
          `verified: ${events} events in ${streams} streams, up to position ${position}\n`,
        )
      }
      for (const { stream, revision } of context.json ? [] : broken) {
        await context.out(`${context.alarm('broken')}  ${stream}  revision ${revision}\n`)
      }
      if (broken.length > 0) {
        throw new CliError(
          EXIT_DIFFERENCE,
          `history was altered: ${broken.length} of ${streams} chains are broken`,
        )
      }
    })
}
