/** `svc events list|show|tail` */
import type { EventPage, LoggedEvent } from '@svc/contracts/admin/events'
import type { Operations } from '@svc/contracts/admin/operations'
import { printable } from '@svc/contracts/printable'
import { Command, Option } from 'commander'
import type { Context } from '../context/context.ts'
import { eventWriters } from '../output/event-formats.ts'
import { factsText } from '../output/facts.ts'
import { noteLeftOut } from '../output/table.ts'
import { type ContextOf, wholeNumber } from './options.ts'

const PAGE_EVENTS = 1_000
const LIMIT_DEFAULT = 100
const LIMIT_MAX = 1_000_000_000

interface FilterOptions {
  readonly stream?: string | undefined
  readonly type?: string | undefined
  readonly after?: string | undefined
}

interface TailOptions extends FilterOptions {
  readonly limit?: string
}

interface ListOptions extends TailOptions {
  readonly all?: true
  readonly format?: keyof typeof eventWriters
}

export function eventsCommand(contextOf: ContextOf): Command {
  const events = new Command('events').description('the event log')
  withFilter(events.command('list').description('events in the order of the log'))
    .option('--limit <number>', `at most this many (default: ${LIMIT_DEFAULT})`)
    .addOption(new Option('--all', 'all of them, to the end of the log').conflicts('limit'))
    .addOption(
      new Option('--format <format>', 'how to write them (default: table)').choices(
        Object.keys(eventWriters),
      ),
    )
    .action((options: ListOptions, command: Command) => list(contextOf(command), options))
  events
    .command('show')
    .description('one event, with its data and its metadata')
    .argument('<event-id>', 'id of the event, as a receipt or the evidence names it')
    .action((id: string, _options, command: Command) => show(contextOf(command), id))
  withFilter(events.command('tail').description('events as they come, until Ctrl-C'))
    .option('--limit <number>', 'end after this many')
    .action((options: TailOptions, command: Command) => tail(contextOf(command), options))
  return events
}

function withFilter(command: Command): Command {
  return command
    .option('--stream <stream>', 'only of this stream, such as account-acct_…')
    .option('--type <type>', 'only of this type, such as CreditDebited')
    .option('--after <position>', 'only behind this position')
}

async function list(context: Context, options: ListOptions): Promise<void> {
  const limit =
    options.all === true
      ? Number.POSITIVE_INFINITY
      : wholeNumber('--limit', options.limit ?? `${LIMIT_DEFAULT}`, 1, LIMIT_MAX)
  const format = context.json ? 'json' : (options.format ?? 'table')
  const writer = eventWriters[format](context.terminal.columns)
  let isEmpty = true
  const next = await context.withOperations(async (operations) => {
    let end: string | null = null
    for await (const { events, next } of pages(operations, filterOf(options), limit)) {
      await context.out(writer.rows(events))
      if (events.length > 0) isEmpty = false
      end = next
      if (context.terminal.stop.aborted) break
    }
    return end
  })
  await context.out(writer.closing(next))
  noteLeftOut(context, writer.leftOut)
  if (isEmpty && next === null) context.note('there are no such events')
  if (next !== null) context.note(`more events follow: --after ${next}, or --all`)
}

/**
 * Yields at least one page, which may be empty. Its `next` tells where the whole of them goes on.
 */
async function* pages(
  operations: Operations,
  filter: FilterOptions,
  limit: number,
): AsyncGenerator<EventPage> {
  let left = limit
  let after = filter.after
  for (;;) {
    const page = await operations.listEvents({
      ...filter,
      after,
      limit: Math.min(left, PAGE_EVENTS),
    })
    yield page
    left -= page.events.length
    if (page.next === null || left === 0) return
    after = page.next
  }
}

async function show(context: Context, id: string): Promise<void> {
  const event = await context.withOperations((operations) => operations.findEvent({ event_id: id }))
  if (context.json) return context.outJson('event/1', event)
  await context.out(eventText(event))
}

function eventText({ data, metadata, ...place }: LoggedEvent): string {
  const facts = Object.entries(place).map(([name, value]) => [name, `${value}`] as const)
  return `${factsText(facts)}\ndata ${indented(data)}\nmetadata ${indented(metadata)}\n`
}

function indented(value: unknown): string {
  return JSON.stringify(value, null, 2).split('\n').map(printable).join('\n')
}

async function tail(context: Context, options: TailOptions): Promise<void> {
  const { stop } = context.terminal
  let left = Number.POSITIVE_INFINITY
  if (options.limit !== undefined) left = wholeNumber('--limit', options.limit, 1, LIMIT_MAX)
  const writer = eventWriters[context.json ? 'jsonl' : 'table'](context.terminal.columns)
  const endWatch = context.terminal.watchReader()
  try {
    await context.withOperations(async (operations) => {
      // The heading at once: who waits for events sees that they are waited for.
      await context.out(writer.rows([]))
      noteLeftOut(context, writer.leftOut)
      for await (const event of operations.tailEvents(filterOf(options), stop)) {
        await context.out(writer.rows([event]))
        left -= 1
        if (left === 0) return
      }
    })
  } finally {
    endWatch()
  }
}

function filterOf({ stream, type, after }: FilterOptions): FilterOptions {
  if (after !== undefined) wholeNumber('--after', after, 0, Number.MAX_SAFE_INTEGER)
  return {
    stream,
    type,
    after,
  }
}
