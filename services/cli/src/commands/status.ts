/** `svc status` */
import type { ServiceStatus } from '@svc/contracts/admin/workers'
import { printable } from '@svc/contracts/printable'
import { PUBLISH_A_PRICE } from '@svc/operator/operations/unpriced-models'
import { Command } from 'commander'
import type { Context } from '../context/context.ts'
import { factsText } from '../output/facts.ts'
import { tableText } from '../output/table.ts'
import type { ContextOf } from './options.ts'
import { projectionColumns } from './projection.ts'

export function statusCommand(contextOf: ContextOf): Command {
  return new Command('status')
    .description('health of every part: server, event log, projections, workers')
    .action(async (_options, command: Command) => {
      const context = contextOf(command)
      const status = await context.withOperations((operations) => operations.status())
      if (context.json) return context.outJson('status/4', status)
      await context.out(statusText(context, status))
    })
}

function statusText(context: Context, status: ServiceStatus): string {
  const sections = [
    factsText([
      ['service', status.mode === 'running' ? `running at ${status.base_url}` : 'stopped'],
      ['version', status.version],
      ['data', status.data_dir],
      ['event log', eventLogText(status.store)],
      ...feedFacts(status),
      ...topUpFacts(status.top_ups),
      ['accounts', countText(status.accounts)],
      ['open requests', countText(status.open_requests)],
    ]),
  ]
  if (status.projections.length > 0) {
    sections.push(tableText(context, projectionColumns, status.projections))
  }
  if (status.workers.length > 0) {
    sections.push(
      tableText(
        context,
        [
          { title: 'WORKER', text: (worker) => worker.worker_id },
          { title: 'STATUS', text: (worker) => worker.status },
          {
            title: 'MODEL',
            cutTo: 20,
            text: ({ model_name: modelName, toy }) => modelName + (toy ? ' (a toy)' : ''),
          },
          { title: 'RESTARTS', align: 'right', text: (worker) => `${worker.restarts}` },
        ],
        status.workers,
      ),
    )
  }
  const problems = [status.store, status.feed, status.top_ups].flatMap(
    (part) => part?.problems ?? [],
  )
  for (const { worker_id: workerId, problem } of status.workers) {
    if (problem !== null) problems.push(`${workerId}: ${problem}`)
  }
  for (const problem of problems) sections.push(`${printable(problem)}\n`)
  for (const overdue of overdueTexts(status)) sections.push(`${overdue}\n`)
  if (status.unpriced_models.length > 0) sections.push(unpricedText(status))
  return sections.join('\n')
}

function countText(count: number | null): string {
  return count === null ? 'not counted by a gateway without views: ask a projector' : `${count}`
}

function eventLogText({ kind, position }: ServiceStatus['store']): string {
  return position === null ? `${kind}, does not answer` : `${kind}, position ${position}`
}

function feedFacts({ feed, store }: ServiceStatus): readonly (readonly [string, string])[] {
  if (feed === null) return []
  const { topic, lag, waiting_seconds: waiting } = feed
  const unit = store.kind === 'eventstoredb' ? 'bytes' : 'events'
  const behind = lag === null ? 'the log does not answer' : `${lag} ${unit} behind the log`
  const since = waiting === 0 ? '' : `, waiting for ${waiting} s`
  return [['feed', `topic ${topic}, ${behind}${since}`]]
}

function topUpFacts(topUps: ServiceStatus['top_ups']): readonly (readonly [string, string])[] {
  if (topUps === null) return []
  const { topic, granted, repeated, dead, waiting } = topUps
  const taken = `${granted} granted, ${repeated} known, ${dead} dead letters since the start`
  return [['top-ups', `topic ${topic}, ${waiting ?? 'unknown how many'} waiting; ${taken}`]]
}

/** @returns none, or what to say of holds that the server should have ended */
export function overdueTexts({ overdue_holds: overdue }: ServiceStatus): readonly string[] {
  const { count = 0, since = null } = overdue ?? {}
  if (since === null) return []
  const what =
    count === 1
      ? '1 hold is past its deadline,'
      : `${count} holds are past their deadline, the first`
  return [`${what} since ${since}: svc hold list`]
}

function unpricedText({ unpriced_models: models, priced_from: from }: ServiceStatus): string {
  const names = printable(models.join(', '))
  const problem =
    from === null
      ? `No price is in force for ${names}: its requests are refused.\nPublish one`
      : `No price is in force for ${names} before ${from}: until then its requests are refused.\n` +
        'Publish another to sell it now'
  return `${problem}, in dollars per million tokens: svc ${PUBLISH_A_PRICE}\n`
}
