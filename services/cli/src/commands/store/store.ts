/** `svc store …`: the EventStoreDB itself, past the server and the data folder. */

import { printable } from '@svc/contracts/printable'
import { readLogLocation, type ServerPlace } from '@svc/server/settings/log-location'
import { Command } from 'commander'
import { endOnClientDefects } from '../../context/connect.ts'
import type { Context } from '../../context/context.ts'
import { CliError, EXIT_DIFFERENCE, EXIT_USAGE } from '../../context/exit-codes.ts'
import { type ContextOf, confirmed } from '../options.ts'

type Client = Parameters<
  typeof import('@svc/infra/event-store/eventstoredb/repair-metadata').repairMetadata
>[0]

interface RepairOptions {
  readonly yes?: true
}

export function storeCommand(contextOf: ContextOf): Command {
  const store = new Command('store').description('the EventStoreDB that EVENTSTORE_URL names')
  store
    .command('repair-metadata')
    .description('take back what a stream was told to hide, as far as its events are still there')
    .argument('<stream>', 'as svc status and svc verify name it, such as svc.account-acct_…')
    .option('--yes', 'do not ask')
    .action((stream: string, options: RepairOptions, command: Command) =>
      repairMetadata(contextOf(command), stream, options),
    )
  return store
}

async function repairMetadata(
  context: Context,
  stream: string,
  { yes }: RepairOptions,
): Promise<void> {
  const { url, readyWithinMs } = placeOf(context, stream)
  await endOnClientDefects(context.warn)
  const { connectToServer } = await import('@svc/infra/event-store/eventstoredb/open-eventstoredb')
  const repair = await import('@svc/infra/event-store/eventstoredb/repair-metadata')
  const connected = async <Result>(work: (client: Client) => Promise<Result>): Promise<Result> => {
    const connection = await connectToServer({ url, readyWithinMs })
    try {
      return await work(await connection.get())
    } finally {
      await connection.close()
    }
  }
  const order = await connected((client) => repair.harmfulOrder(client, stream))
  if (order !== undefined) {
    const question = `${stream}: ${order}. Set its metadata to {}, so that all its events count?`
    await confirmed(context, question, yes)
  }
  const first = await connected((client) => repair.repairMetadata(client, stream))
  await report(context, { stream, order: order ?? null, first_revision: first ?? null })
}

interface Repair {
  readonly stream: string
  /** The order that the stream had been given; null when nothing was to be done. */
  readonly order: string | null
  readonly first_revision: number | null
}

async function report(context: Context, repair: Repair): Promise<void> {
  const { stream, order, first_revision: first } = repair
  if (context.json) await context.outJson('metadata-repair/1', repair)
  else if (order === null) await context.out(`${printable(stream)}: nothing hides its events\n`)
  else await context.out(`${printable(stream)}: its metadata is {} now; run svc verify\n`)
  if (first === null || first === 0) return
  throw new CliError(
    EXIT_DIFFERENCE,
    `the events before revision ${first} are gone from the disk: only a backup brings them back`,
  )
}

/** @throws {CliError} when the stream cannot be meant */
function placeOf({ terminal, options }: Context, stream: string): ServerPlace {
  if (options.url !== undefined) {
    throw new CliError(EXIT_USAGE, 'this goes to the EventStoreDB itself: leave --url out')
  }
  const place = readLogLocation(terminal.environment)
  if (place.kind === 'sqlite') {
    throw new CliError(EXIT_USAGE, 'EVENTSTORE_URL is not set: only an EventStoreDB has metadata')
  }
  if (!stream.startsWith(place.streamPrefix)) {
    const message = `"${stream}" is none of our streams: their names begin with ${place.streamPrefix}`
    throw new CliError(EXIT_USAGE, message)
  }
  return place
}
