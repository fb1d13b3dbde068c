/** `svc backup` */
import { Command } from 'commander'
import type { Context } from '../../context/context.ts'
import { bytesText } from '../../output/amounts.ts'
import { drawnResult } from '../../output/progress.ts'
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
    const result = await drawnResult(context, operations.backUp(), {
      shown: ({ done, total }) => [done / total, `${bytesText(done)} of ${bytesText(total)}`],
      interrupted: 'interrupted; no backup was kept',
    })
    if (context.json) return context.outJson('backup/1', result)
    const { folder, size_bytes: bytes, position, seconds } = result
    await context.out(`${folder}\n`)
    const what = position === null ? 'without the events' : `up to position ${position}`
    context.note(`${bytesText(bytes)} in ${seconds.toFixed(1)} s, ${what}`)
  })
}
