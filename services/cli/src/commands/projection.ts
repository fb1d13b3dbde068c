/** `svc projection list|rebuild|cancel-rebuild` */
import type {
  ProjectionDetails,
  ProjectionState,
  RebuildTrial,
} from '@svc/contracts/admin/projections'
import { Command } from 'commander'
import type { Context } from '../context/context.ts'
import { CliError, EXIT_DIFFERENCE } from '../context/exit-codes.ts'
import { drawnResult, passedOverText } from '../output/progress.ts'
import { type Column, tableText } from '../output/table.ts'
import type { ContextOf } from './options.ts'

export const projectionColumns: readonly Column<ProjectionState>[] = [
  { title: 'PROJECTION', text: (line) => line.name },
  { title: 'VERSION', align: 'right', leftOut: 1, text: (line) => `${line.version}` },
  { title: 'STATE', text: (line) => line.state },
  { title: 'POSITION', align: 'right', text: (line) => line.position },
  { title: 'HEAD', align: 'right', text: (line) => line.head },
  { title: 'ERROR', cutTo: 20, text: (line) => line.error ?? '' },
]

/** The columns of `projection list`, which counts the events that a view lacks. */
const detailColumns: readonly Column<ProjectionDetails>[] = [
  ...projectionColumns.slice(0, -1),
  { title: 'BEHIND', align: 'right', text: behindText },
  ...projectionColumns.slice(-1),
]

function behindText({ behind_events: count, behind_events_exact: isExact }: ProjectionDetails) {
  return `${isExact ? '' : 'at least '}${count}`
}

export function projectionCommand(contextOf: ContextOf): Command {
  const projection = new Command('projection').description('the read models')
  projection
    .command('list')
    .description('where each read model stands')
    .action((_options, command: Command) => list(contextOf(command)))
  projection
    .command('rebuild')
    .description('build a read model anew beside the live one, compare, and swap')
    .argument('<name>', 'accounts, statement, requests, usage or evidence')
    .option('--dry-run', 'say how many events it would read and about how long it would take')
    .action((name: string, { dryRun }: { dryRun?: true }, command: Command) =>
      dryRun ? tryRebuild(contextOf(command), name) : rebuild(contextOf(command), name),
    )
  projection
    .command('cancel-rebuild')
    .description('end the rebuild of a read model that goes on in the server')
    .argument('<name>', 'accounts, statement, requests, usage or evidence')
    .action((name: string, _options, command: Command) => cancelRebuild(contextOf(command), name))
  return projection
}

async function list(context: Context): Promise<void> {
  const projections = await context.withOperations((operations) => operations.listProjections())
  if (context.json) return context.outJson('projections/1', { projections })
  await context.out(tableText(context, detailColumns, projections))
}

async function tryRebuild(context: Context, name: string): Promise<void> {
  const trial = await context.withOperations((operations) => operations.tryRebuild({ name }))
  if (context.json) return context.outJson('rebuild-trial/1', trial)
  await context.out(`${trialText(trial)}; nothing was changed\n`)
}

function trialText({ name, events, tried, rate, seconds }: RebuildTrial): string {
  if (rate === null || seconds === null) return `${name}: there are no events to read`
  return (
    `${name}: a rebuild would read ${events} events, in about ${seconds.toFixed(1)} s ` +
    `at ${rate} events/s (tried with ${tried})`
  )
}

async function cancelRebuild(context: Context, name: string): Promise<void> {
  const { cancelled } = await context.withOperations((operations) =>
    operations.cancelRebuild({ name }),
  )
  if (context.json) return context.outJson('rebuild-cancelled/1', { name, cancelled })
  await context.out(`${name}\n`)
  context.note(
    cancelled ? 'cancelled; the live view is as it was' : 'none was going on: nothing was changed',
  )
}

async function rebuild(context: Context, name: string): Promise<void> {
  await context.withOperations(async (operations) => {
    const result = await drawnResult(context, operations.rebuildProjection({ name }), {
      shown: ({ done, total, passed_over: others, rate }) => [
        done / total,
        `${done} of ${total} events${passedOverText(others)}  ${rate} events/s`,
      ],
      interrupted: 'interrupted; the live view is as it was',
    })
    const { events, differences } = result
    const seconds = result.seconds.toFixed(2)
    if (context.json) await context.outJson('rebuild/1', result)
    else {
      await context.out(
        `${name}: ${events} events in ${seconds} s, ` +
          `old and new differ in ${differences} rows; swapped\n`,
      )
    }
    if (differences === 0) return
    throw new CliError(
      EXIT_DIFFERENCE,
      `the old view differed from the log in ${differences} rows; the new one is in place`,
    )
  })
}
