/** `svc projection list|rebuild` */
import type { ProjectionLine, RebuildProgress } from '@svc/gateway/operations/operations'
import { Command } from 'commander'
import type { Context } from '../context.ts'
import { CliError, EXIT_DIFFERENCE, EXIT_INTERRUPTED } from '../exit-codes.ts'
import { type Column, tableText } from '../output/table.ts'
import type { ContextOf } from './options.ts'

/** Without a terminal a line this often is enough. */
const PROGRESS_LINE_MS = 5_000
const PROGRESS_DRAW_MS = 100

export const projectionColumns: readonly Column<ProjectionLine>[] = [
  { title: 'PROJECTION', text: (line) => line.name },
  { title: 'VERSION', align: 'right', text: (line) => `${line.version}` },
  { title: 'STATE', text: (line) => line.state },
  { title: 'POSITION', align: 'right', text: (line) => line.position },
  { title: 'HEAD', align: 'right', text: (line) => line.head },
  { title: 'ERROR', text: (line) => line.error ?? '' },
]

export function projectionCommand(contextOf: ContextOf): Command {
  const projection = new Command('projection').description('the read models')
  projection
    .command('list')
    .description('where each read model stands')
    .action((_options, command: Command) => list(contextOf(command)))
  projection
    .command('rebuild')
    .description('build a read model anew beside the live one, compare, and swap')
    .argument('<name>', 'accounts, statement or requests')
    .action((name: string, _options, command: Command) => rebuild(contextOf(command), name))
  return projection
}

async function list(context: Context): Promise<void> {
  const projections = await context.withOperations((operations) => operations.listProjections())
  if (context.json) return context.outJson('projections/1', { projections })
  await context.out(tableText(projectionColumns, projections))
}

async function rebuild(context: Context, name: string): Promise<void> {
  await context.withOperations(async (operations) => {
    const draw = progressDrawer(context)
    for await (const line of operations.rebuildProjection(name)) {
      if (context.terminal.stop.aborted) break
      if (line.type === 'progress') {
        draw(line)
        continue
      }
      draw.end()
      const { events, differences } = line
      const seconds = line.seconds.toFixed(2)
      if (context.json) await context.outJson('rebuild/1', line)
      else {
        await context.out(
          `${name}: ${events} events in ${seconds} s, ` +
            `old and new differ in ${differences} rows; swapped\n`,
        )
      }
      if (differences > 0) {
        throw new CliError(
          EXIT_DIFFERENCE,
          `the old view differed from the log in ${differences} rows; the new one is in place`,
        )
      }
      return
    }
    draw.end()
    throw new CliError(EXIT_INTERRUPTED, 'interrupted; the live view is as it was')
  })
}

interface ProgressDrawer {
  (progress: RebuildProgress): void
  end(): void
}

/** Drawn over itself for a person, a line now and then for a log file. */
function progressDrawer(context: Context): ProgressDrawer {
  const { terminal } = context
  let drawnAt = performance.now()
  let drawn = false
  const draw = ({ done, total, rate }: RebuildProgress) => {
    const everyMs = terminal.errIsTerminal ? PROGRESS_DRAW_MS : PROGRESS_LINE_MS
    if (context.json || performance.now() - drawnAt < everyMs) return
    drawnAt = performance.now()
    const percent = total === 0 ? 100 : Math.floor((done * 100) / total)
    const text = `${percent}%  ${done} of ${total} events  ${rate} events/s`
    terminal.err(terminal.errIsTerminal ? `\r${text}\u001b[K` : `${text}\n`)
    drawn = true
  }
  return Object.assign(draw, {
    end: () => {
      if (drawn && terminal.errIsTerminal) terminal.err('\n')
    },
  })
}
