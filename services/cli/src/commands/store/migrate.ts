/** `svc migrate`: moves the ledger to the other store, while no server runs. */
import { crashPointsFromPlan } from '@svc/infra/system/crash-points'
import { systemTimer } from '@svc/infra/system/system-timer'
import { progressLines } from '@svc/operator/operations/progress-lines'
import { DataFolder } from '@svc/server/data-folder/data-folder'
import { readLogLocation, type ServerPlace, shownLocation } from '@svc/server/settings/log-location'
import { Command, Option } from 'commander'
import { endOnClientDefects } from '../../context/connect.ts'
import type { Context } from '../../context/context.ts'
import { CliError, EXIT_USAGE } from '../../context/exit-codes.ts'
import { resultOf } from '../../output/progress.ts'
import { type ContextOf, confirmed } from '../options.ts'

const stores = ['eventstoredb', 'sqlite'] as const

interface MigrateOptions {
  readonly to: (typeof stores)[number]
  readonly giveUp?: true
  readonly yes?: true
}

export function migrateCommand(contextOf: ContextOf): Command {
  return new Command('migrate')
    .description('move the ledger of a stopped server to EventStoreDB, or back into a file')
    .addOption(
      new Option('--to <store>', 'where it goes; EVENTSTORE_URL names the server in both cases')
        .choices(stores)
        .makeOptionMandatory(),
    )
    .option('--give-up', 'leave it where it is, after a move that was begun')
    .option('--yes', 'do not ask')
    .action(async (options: MigrateOptions, command: Command) => {
      const context = contextOf(command)
      const server = serverOf(context)
      context.terminal.catchInterrupt()
      await endOnClientDefects(context.warn)
      if (options.giveUp === true) await giveUp(context, server, options)
      else await migrate(context, server, options)
    })
}

async function migrate(
  context: Context,
  server: ServerPlace,
  { to }: MigrateOptions,
): Promise<void> {
  // It is loaded only here, because it is most of a server.
  const { moveLedger } = await import('@svc/server/migration/ledger-move')
  const { dataDir, terminal } = context
  const reach = crashPointsFromPlan(terminal.environment.SVC_CRASH_POINT)
  const ports = { to, server, reach, timer: systemTimer, warn: context.warn }
  const startedMs = performance.now()
  const folder = new DataFolder(dataDir)
  const lines = progressLines<MoveLine, MoveLine>(async (report, signal) => {
    const stop = AbortSignal.any([signal, terminal.stop])
    const counts = await moveLedger({ ...ports, folder, report, signal: stop })
    return { type: 'result', ...counts }
  })
  const result = resultOf(context, lines, 'the ledger was moved')
  const { type, ...counts } = await result.catch((error: unknown) => {
    if (isUnfinished(folder, error)) context.warn(UNFINISHED)
    throw error
  })
  const seconds = (performance.now() - startedMs) / 1_000
  if (context.json) return context.outJson('migration/1', { to, ...counts, seconds })
  await context.out(`${movedText(to, counts, seconds)}${NEXT[to]}\n`)
}

const UNFINISHED =
  'the move is not finished: mend what the next line says, and the same command goes on where it was'

/** Whether a move was begun and cut off. What the folder refuses says by itself what to do. */
function isUnfinished(folder: DataFolder, error: unknown): boolean {
  const isRefusal = error instanceof Error && error.name === 'DataFolderError'
  return !isRefusal && folder.migration.read() !== undefined
}

type MoveLine =
  | {
      readonly type: 'progress'
      readonly part: string
      readonly share: number
      readonly rate: number
    }
  | ({ readonly type: 'result' } & Counts)

interface Counts {
  readonly events: number
  readonly streams: number
  readonly texts: number
}

function movedText(to: MigrateOptions['to'], { events, streams, texts }: Counts, seconds: number) {
  const where = to === 'sqlite' ? 'the data folder' : 'the EventStoreDB'
  const compared = streams === 0 ? '' : ` in ${streams} streams, and ${texts} texts`
  return `moved to ${where}: ${events} events${compared}, in ${seconds.toFixed(1)} s\n`
}

const NEXT = {
  eventstoredb:
    'start svc with EVENTSTORE_URL from now on. The file that was moved is kept in ' +
    'before-migration/ of the data folder: remove it when you need it no more',
  sqlite:
    'start svc without EVENTSTORE_URL from now on. What is on the server is left there, marked',
} as const

async function giveUp(
  context: Context,
  server: ServerPlace,
  { to, yes }: MigrateOptions,
): Promise<void> {
  const { giveUpMove } = await import('@svc/server/migration/give-up')
  const folder = new DataFolder(context.dataDir)
  const move = { folder, to, server, warn: context.warn }
  const asked = await giveUpMove({ ...move, isConfirmed: yes === true })
  if (asked !== undefined) {
    await confirmed(context, asked.question, yes)
    await giveUpMove({ ...move, isConfirmed: true })
  }
  const store = to === 'sqlite' ? shownLocation(server) : folder.ledgerFile
  if (context.json) return context.outJson('migration-given-up/1', { to })
  await context.out(`given up: the ledger is ${store}, as before\n`)
}

/** @throws {CliError} */
function serverOf({ terminal, options }: Context): ServerPlace {
  if (options.url !== undefined) {
    throw new CliError(EXIT_USAGE, 'a ledger is moved while its server is stopped: leave --url out')
  }
  const place = readLogLocation(terminal.environment)
  if (place.kind === 'sqlite') {
    throw new CliError(EXIT_USAGE, 'name the EventStoreDB in EVENTSTORE_URL, in both directions')
  }
  return place
}
