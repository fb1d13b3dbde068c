/** `svc verify` */
import type { VerifyResult } from '@svc/gateway/operations/operations'
import { Command } from 'commander'
import type { Context } from '../context.ts'
import { CliError, EXIT_DIFFERENCE, EXIT_INTERRUPTED } from '../exit-codes.ts'
import { progressDrawer } from '../output/progress.ts'
import type { ContextOf } from './options.ts'

export function verifyCommand(contextOf: ContextOf): Command {
  return new Command('verify')
    .description('follow the hash chain of every stream: exit 1 when history was altered')
    .action(async (_options, command: Command) => {
      const context = contextOf(command)
      const result = await verify(context)
      await tell(context, result)
      const { broken, streams } = result
      if (broken.length > 0) {
        throw new CliError(
          EXIT_DIFFERENCE,
          `history was altered: ${broken.length} of ${streams} chains are broken`,
        )
      }
    })
}

function verify(context: Context): Promise<VerifyResult> {
  return context.withOperations(async (operations) => {
    const draw = progressDrawer(context)
    try {
      for await (const line of operations.verify()) {
        if (line.type === 'result') return line
        if (context.terminal.stop.aborted) break
        const { events, position, head, rate } = line
        draw(Number(position) / Number(head), `${events} events  ${rate} events/s`)
      }
    } finally {
      draw.end()
    }
    throw new CliError(EXIT_INTERRUPTED, 'interrupted before the whole log was verified')
  })
}

async function tell(context: Context, { type: _, ...result }: VerifyResult): Promise<void> {
  const { streams, events, broken, position } = result
  if (context.json) return context.outJson('verification/1', result)
  for (const { stream, revision } of broken) {
    await context.out(`${context.alarm('broken')}  ${stream}  revision ${revision}\n`)
  }
  if (broken.length > 0) return
  await context.out(
    `verified: ${events} events in ${streams} streams, up to position ${position}\n`,
  )
}
