/** `svc audit cache` */
import type { AuditedWorker, AuditResult } from '@svc/contracts/admin/workers'
import { AUDIT_SAMPLE_MAX } from '@svc/contracts/worker/protocol'
import { Command } from 'commander'
import type { Context } from '../context/context.ts'
import {
  CliError,
  EXIT_DIFFERENCE,
  EXIT_INTERRUPTED,
  EXIT_UNREACHABLE,
} from '../context/exit-codes.ts'
import { type ContextOf, wholeNumber } from './options.ts'

const SAMPLE_DEFAULT = '100'

export function auditCommand(contextOf: ContextOf): Command {
  const audit = new Command('audit').description('checks that recompute what is served')
  audit
    .command('cache')
    .description('compute cached blocks again and compare: exit 1 when any differs')
    .option('--sample <blocks>', 'blocks of each worker to compare, at most', SAMPLE_DEFAULT)
    .action((options: { sample: string }, command: Command) =>
      auditCache(contextOf(command), wholeNumber('--sample', options.sample, 1, AUDIT_SAMPLE_MAX)),
    )
  return audit
}

async function auditCache(context: Context, sample: number): Promise<void> {
  const { workers, result } = await context.withOperations(async (operations) => {
    const workers: AuditedWorker[] = []
    for await (const line of operations.auditCache({ sample })) {
      if (line.type === 'result') return { workers, result: line }
      workers.push(line)
      if (!context.json) await tellWorker(context, line)
    }
    throw new CliError(EXIT_INTERRUPTED, 'interrupted before every worker was asked')
  })
  if (context.json) {
    const { type: _, ...sums } = result
    const audited = workers.map(({ type: _, ...worker }) => worker)
    await context.outJson('cache-audit/2', { ...sums, workers: audited })
  } else await context.out(`${resultText(result)}\n`)
  refuseDoubt(result)
}

async function tellWorker(context: Context, worker: AuditedWorker): Promise<void> {
  for (const { name, tier } of worker.differing) {
    await context.out(`${context.alarm('differs')}  ${worker.worker_id}  ${tier}  block ${name}\n`)
  }
  if (worker.outcome === 'unanswered') {
    await context.out(`${context.alarm('unanswered')}  ${worker.worker_id}  ${worker.problem}\n`)
  } else if (worker.outcome === 'cache-off') {
    context.note(`${worker.worker_id}: its cache is off`)
  }
}

/** An audit that found nothing to compare says so, and does not say that all is well. */
function resultText({ checked, gone, differing }: AuditResult): string {
  const blocks = checked.l1 + checked.l2
  if (blocks === 0) return 'nothing was compared: no worker that answered has a cached block'
  const places = `${checked.l1} from memory (l1), ${checked.l2} from Redis (l2)`
  const lost = gone === 0 ? '' : `; gone before they could be read: ${gone}`
  return `compared: ${blocks} blocks, ${places}; differing: ${differing}${lost}`
}

/** @throws {CliError} when a block differs, or when a worker did not answer */
function refuseDoubt({ differing, unanswered }: AuditResult): void {
  if (differing > 0) {
    const message = `cached blocks that are not what the model computes: ${differing}`
    throw new CliError(EXIT_DIFFERENCE, message)
  }
  if (unanswered > 0) {
    throw new CliError(EXIT_UNREACHABLE, `workers that gave no answer: ${unanswered}`)
  }
}
