/** `svc events list|tail` */
import type { EventLine } from '@svc/gateway/operations/operations'
import { Command } from 'commander'
import type { Context } from '../context.ts'
import { type Column, headerText, rowsText } from '../output/table.ts'
import { type ContextOf, wholeNumber } from './options.ts'

const MAX_EVENTS = 1_000

interface FilterOptions {
  readonly stream?: string
  readonly type?: string
  readonly after?: string
}

const eventColumns: readonly Column<EventLine>[] = [
  { title: 'POSITION', align: 'right', width: 10, text: (event) => event.position },
  { title: 'STREAM', width: 39, text: (event) => event.stream },
  { title: 'REVISION', align: 'right', text: (event) => `${event.revision}` },
  { title: 'TYPE', width: 16, text: (event) => event.type },
  { title: 'ID', width: 36, text: (event) => event.id },
  { title: 'HASH', text: (event) => event.hash },
]

export function eventsCommand(contextOf: ContextOf): Command {
  const events = new Command('events').description('the event log')
  withFilter(events.command('list').description('events in the order of the log'))
    .option('--limit <number>', `at most this many, 1 to ${MAX_EVENTS}`, '100')
    .action((options: FilterOptions & { limit: string }, command: Command) =>
      list(contextOf(command), options),
    )
  withFilter(events.command('tail').description('events as they come, until Ctrl-C')).action(
    (options: FilterOptions, command: Command) => tail(contextOf(command), options),
  )
  return events
}

function withFilter(command: Command): Command {
  return command
    .option('--stream <stream>', 'only of this stream, such as account-acct_…')
    .option('--type <type>', 'only of this type, such as CreditDebited')
    .option('--after <position>', 'only behind this position')
}

async function list(context: Context, options: FilterOptions & { limit: string }): Promise<void> {
  const limit = wholeNumber('--limit', options.limit, 1, MAX_EVENTS)
  const events = await context.withOperations((operations) =>
    operations.listEvents({ ...filterOf(options), limit }),
  )
  if (context.json) return context.outJson('events/1', { events })
  await context.out(headerText(eventColumns, events) + rowsText(eventColumns, events))
}

async function tail(context: Context, options: FilterOptions): Promise<void> {
  const { stop } = context.terminal
  await context.withOperations(async (operations) => {
    if (!context.json) await context.out(headerText(eventColumns, []))
    for await (const event of operations.tailEvents(filterOf(options), stop)) {
      await context.out(
        context.json ? `${JSON.stringify(event)}\n` : rowsText(eventColumns, [event]),
      )
    }
  })
}

function filterOf({ stream, type, after }: FilterOptions): FilterOptions {
  if (after !== undefined) wholeNumber('--after', after, 0, Number.MAX_SAFE_INTEGER)
  return {
    ...(stream === undefined ? {} : { stream }),
    ...(type === undefined ? {} : { type }),
    ...(after === undefined ? {} : { after }),
  }
}
