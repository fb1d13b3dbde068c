/** `svc account quarantine list` */
import type { QuarantinedStream } from '@svc/contracts/admin/verification'
import type { Command } from 'commander'
import type { Context } from '../../context/context.ts'
import { type Column, tableText } from '../../output/table.ts'
import type { ContextOf } from '../options.ts'

/** @param account the command that it becomes a part of */
export function addQuarantine(account: Command, contextOf: ContextOf): void {
  account
    .command('quarantine')
    .description('accounts whose records are damaged')
    .command('list')
    .description('streams that are set aside, and why: exit 0, also when there are some')
    .action((_options, command: Command) => list(contextOf(command)))
}

const columns: readonly Column<QuarantinedStream>[] = [
  { title: 'STREAM', text: ({ stream }) => stream },
  { title: 'REVISION', align: 'right', text: ({ revision }) => `${revision ?? ''}` },
  { title: 'CAUSE', text: ({ cause }) => cause },
]

async function list(context: Context): Promise<void> {
  const streams = await context.withOperations((operations) => operations.listQuarantine())
  if (context.json) return context.outJson('quarantine/1', { streams })
  if (streams.length === 0) return context.note('no stream is set aside')
  await context.out(tableText(context, columns, streams))
  context.note('docs/how-to/mend-a-damaged-stream.md says how each is mended')
}
