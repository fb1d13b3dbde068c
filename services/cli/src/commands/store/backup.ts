/** `svc backup` */
import { Command } from 'commander'
import type { Context } from '../../context/context.ts'
import { CliError, EXIT_INTERRUPTED } from '../../context/exit-codes.ts'
import { bytesText } from '../../output/amounts.ts'
import { progressDrawer } from '../../output/progress.ts'
import type { ContextOf } from '../options.ts'

export function backupCommand(contextOf: ContextOf): Command {
  return new Command('backup')
    .description('write a backup of the data folder, while the server runs or not')
    .addHelpText(
      'after',
      '\nIt becomes a folder of its own in SVC_BACKUP_DIR (default: backups in the data folder),\n' +
        'on the machine of the server. To restore it, put it in the place of the data folder.',
    )
    .action((_options, command: Command) => backUp(contextOf(command)))
}

async function backUp(context: Context): Promise<void> {
  await context.withOperations(async (operations) => {
    const draw = progressDrawer(context)
    for await (const line of operations.backUp()) {
      if (context.terminal.stop.aborted) break
      if (line.type === 'progress') {
        const { done, total } = line
        draw(done / total, `${bytesText(done)} of ${bytesText(total)}`)
        continue
      }
      draw.end()
      if (context.json) return context.outJson('backup/1', line)
      const { folder, size_bytes: bytes, position, seconds } = line
      await context.out(`${folder}\n`)
      const what = position === null ? 'without the events' : `up to position ${position}`
      context.note(`${bytesText(bytes)} in ${seconds.toFixed(1)} s, ${what}`)
      return
    }
    draw.end()
    throw new CliError(EXIT_INTERRUPTED, 'interrupted; no backup was kept')
  })
}
