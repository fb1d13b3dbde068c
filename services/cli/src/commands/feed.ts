/** `svc feed check|resend` */
import type { FeedCheckResult } from '@svc/contracts/admin/feed'
import { counted } from '@svc/contracts/counted'
import { printable } from '@svc/contracts/printable'
import { Command } from 'commander'
import type { Context } from '../context/context.ts'
import { CliError, EXIT_DIFFERENCE, EXIT_INTERRUPTED } from '../context/exit-codes.ts'
import { type Column, tableText } from '../output/table.ts'
import type { ContextOf } from './options.ts'

type Finding = FeedCheckResult['findings'][number]

const columns: readonly Column<Finding>[] = [
  { title: 'STREAM', text: ({ key }) => key },
  { title: 'EVENTS', align: 'right', text: ({ events }) => `${events}` },
  { title: 'MISSING', align: 'right', text: ({ missing }) => `${missing}` },
  { title: 'FROM POSITION', align: 'right', text: (line) => line.first_missing ?? '' },
  { title: 'LAST HASH', text: (line) => line.last_hash },
  { title: 'HISTORY', text: ({ history }) => history },
]

export function feedCommand(contextOf: ContextOf): Command {
  const feed = new Command('feed').description('the events of the ledger in a topic of Kafka')
  feed
    .command('check')
    .description('compare the topic with the event log: what is missing, doubled, altered')
    .action((_options, command: Command) => check(contextOf(command)))
  feed
    .command('resend')
    .description('send events to the topic once more; consumers drop those that they know')
    .requiredOption('--from <position>', 'position of the first event, as svc feed check names it')
    .option('--account <id>', 'only the events of this account')
    .action((options: ResendOptions, command: Command) => resend(contextOf(command), options))
  return feed
}

async function check(context: Context): Promise<void> {
  await context.withOperations(async (operations) => {
    for await (const line of operations.checkFeed()) {
      if (context.terminal.stop.aborted) break
      if (line.type === 'progress') continue
      if (context.json) await context.outJson('feed-check/1', line)
      else await context.out(checkText(context, line))
      if (line.findings.length === 0) return
      throw new CliError(EXIT_DIFFERENCE, differenceOf(line))
    }
    throw new CliError(EXIT_INTERRUPTED, 'interrupted; nothing was changed')
  })
}

function checkText(context: Context, result: FeedCheckResult): string {
  const { topic, position, keys, events, records, doubled, late, findings } = result
  const summary =
    `topic ${printable(topic)}: ${counted(records, 'record')} of ${counted(events, 'event')} ` +
    `up to position ${position}, ${counted(keys, 'stream')}; ${doubled} doubled, ${late} late\n`
  if (findings.length === 0) return `${summary}every event is there\n`
  return `${summary}\n${tableText(context, columns, findings)}`
}

function differenceOf({ findings }: FeedCheckResult): string {
  const others = findings.filter(({ history }) => history === 'other').length
  if (others > 0) {
    const whose = counted(others, 'stream')
    return `the topic has another history of ${whose}: name a new one in SVC_KAFKA_TOPIC`
  }
  const whose = counted(findings.length, 'stream')
  return `the topic is not whole for ${whose}: svc feed resend --from POSITION`
}

interface ResendOptions {
  readonly from: string
  readonly account?: string
}

async function resend(context: Context, { from, account }: ResendOptions): Promise<void> {
  await context.withOperations(async (operations) => {
    for await (const line of operations.resendFeed({ from, account_id: account })) {
      if (context.terminal.stop.aborted) break
      if (line.type === 'progress') continue
      if (context.json) return context.outJson('feed-resend/1', line)
      return context.out(
        `topic ${printable(line.topic)}: ${counted(line.events, 'event')} sent again\n`,
      )
    }
    throw new CliError(EXIT_INTERRUPTED, 'interrupted; what was sent again is in the topic')
  })
}
