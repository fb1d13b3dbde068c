/** `svc worker list|drain|add|remove` */
import type { RemovedWorker, TierUse, WorkerDetails } from '@svc/contracts/admin/workers'
import { printable } from '@svc/contracts/printable'
import { shareText } from '@svc/contracts/share-text'
import { Command } from 'commander'
import type { Context } from '../context/context.ts'
import { bytesText } from '../output/amounts.ts'
import { type Column, tableText } from '../output/table.ts'
import { type ContextOf, confirmed } from './options.ts'

const SHOWN_FINGERPRINT_CHARACTERS = 12
const LAST_ONE = 'do not ask, also when no other worker is ready'

interface YesOption {
  readonly yes?: true
}

interface DrainOptions extends YesOption {
  readonly undo?: true
}

export function workerCommand(contextOf: ContextOf): Command {
  const worker = new Command('worker').description('what computes the answers')
  worker
    .command('list')
    .description('each worker: health, load, and what its cache saves')
    .action((_options, command: Command) => list(contextOf(command)))
  worker
    .command('drain')
    .description('end what runs on a worker and give it nothing new')
    .argument('<worker>', 'its name, as "svc worker list" shows it')
    .option('--undo', 'give it requests again')
    .option('--yes', LAST_ONE)
    .action((workerId: string, options: DrainOptions, command: Command) =>
      drain(contextOf(command), workerId, options),
    )
  worker
    .command('add')
    .description('use a worker that runs already, until the server ends')
    .argument('<url>', 'http://host:port, or unix:/path/to/socket on the machine of the server')
    .option('--id <id>', 'its name; default: worker- and the next number')
    .action((url: string, options: { id?: string }, command: Command) =>
      add(contextOf(command), url, options.id ?? null),
    )
  worker
    .command('remove')
    .description('give a worker nothing new, and forget it when what runs on it has ended')
    .argument('<worker>', 'its name, as "svc worker list" shows it')
    .option('--yes', LAST_ONE)
    .action((workerId: string, options: YesOption, command: Command) =>
      remove(contextOf(command), workerId, options),
    )
  return worker
}

async function list(context: Context): Promise<void> {
  const workers = await context.withOperations((operations) => operations.listWorkers())
  if (context.json) return context.outJson('workers/2', { workers })
  await context.out(workersText(context, workers))
  for (const { worker_id: workerId, problem } of workers) {
    if (problem !== null)
      await context.out(`\n${context.alarm(printable(`${workerId}: ${problem}`))}\n`)
  }
}

/** Two tables, because one line of all of it fits no terminal. */
function workersText(context: Context, workers: readonly WorkerDetails[]): string {
  return [
    tableText(context, workerColumns, workers),
    tableText(context, cacheColumns, workers),
  ].join('\n')
}

const workerColumns: readonly Column<WorkerDetails>[] = [
  { title: 'WORKER', text: ({ worker_id: workerId }) => workerId },
  { title: 'STATUS', text: ({ status }) => status },
  {
    title: 'MODEL',
    cutTo: 20,
    text: ({ model_name: modelName, toy }) => modelName + (toy ? ' (a toy)' : ''),
  },
  {
    title: 'DEVICE',
    leftOut: 6,
    text: ({ setup }) => (setup ? `${setup.device}, ${setup.gpu ?? setup.cpu_variant}` : ''),
  },
  number('THREADS', ({ setup }) => setup?.threads, 3),
  number('CONTEXT', ({ setup }) => setup?.context_size, 4),
  number('SEQUENCES', ({ load }) => load?.sequences, 5),
  number('RUNNING', ({ load }) => load?.running),
  number('QUEUED', ({ load }) => load?.queued),
  number('RESTARTS', ({ restarts }) => restarts),
  {
    title: 'FINGERPRINT',
    leftOut: 1,
    text: ({ setup }) => setup?.fingerprint.slice(0, SHOWN_FINGERPRINT_CHARACTERS) ?? '',
  },
  { title: 'ADDRESS', leftOut: 2, text: ({ address }) => address },
]

const cacheColumns: readonly Column<WorkerDetails>[] = [
  { title: 'WORKER', text: ({ worker_id: workerId }) => workerId },
  { title: 'CACHE', text: ({ cache }) => (cache ? [cache.mode, ...cache.tiers].join(' ') : '') },
  { title: 'SCHEDULE', leftOut: 2, text: ({ cache }) => cache?.schedule ?? '' },
  number('PROMPTS', ({ cache }) => cache?.use?.prompts),
  { title: 'HITS', align: 'decimal', text: ({ cache }) => share(cache?.use?.prompt_hit_rate) },
  {
    title: 'TOKENS REUSED',
    align: 'decimal',
    text: ({ cache }) => share(cache?.use?.token_hit_rate),
  },
  { title: 'MEMORY (L1)', leftOut: 2, text: ({ cache }) => memoryText(cache?.use?.l1) },
  { title: 'REDIS (L2)', leftOut: 1, text: ({ cache }) => redisText(cache?.use?.l2) },
  { title: 'NOTE', cutTo: 20, leftOut: 3, text: ({ cache }) => cache?.reason ?? '' },
]

function number(
  title: string,
  value: (worker: WorkerDetails) => number | undefined,
  leftOut?: number,
): Column<WorkerDetails> {
  const text = (worker: WorkerDetails) => `${value(worker) ?? ''}`
  return { title, align: 'right', text, leftOut }
}

function share(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : shareText(value)
}

function memoryText(tier: TierUse | null | undefined): string {
  if (tier === null || tier === undefined) return ''
  const { blocks } = tier
  const counted = `${blocks} ${blocks === 1 ? 'block' : 'blocks'}`
  return `${counted}, ${bytesText(tier.bytes)} of ${bytesText(tier.bytes_max)}`
}

/** Says what the worker did in Redis. How much there is, only Redis knows. */
function redisText(tier: TierUse | null | undefined): string {
  if (tier === null || tier === undefined) return ''
  const failed = tier.failures === 0 ? '' : `, ${tier.failures} calls failed`
  return `${tier.hits} blocks read, ${tier.writes} written${failed}`
}

async function drain(
  context: Context,
  workerId: string,
  { undo, yes }: DrainOptions,
): Promise<void> {
  const result = await context.withOperations(async (operations) => {
    if (undo !== true && yes !== true) {
      const workers = await operations.listWorkers()
      await confirmLast(context, `Drain ${workerId}?`, workers, workerId)
    }
    return operations.drainWorker({ worker_id: workerId, draining: undo !== true })
  })
  if (context.json) return context.outJson('worker-drained/2', result)
  await context.out(`${workerId}\n`)
  context.note(`${workerId} is ${result.status}; ${readyText(result)}`)
}

/**
 * Asks before the last worker that is ready takes no more. Any other gives its work to those that
 * stay, and what is drained is given back by one command: that needs no question.
 */
async function confirmLast(
  context: Context,
  question: string,
  workers: readonly WorkerDetails[],
  workerId: string,
): Promise<void> {
  const [ready, another] = workers.filter(({ status }) => status === 'ready')
  if (ready?.worker_id !== workerId || another !== undefined) return
  const effect = 'No other worker is ready: every request is refused until one is.'
  await confirmed(context, `${question} ${effect}`, undefined)
}

async function add(context: Context, url: string, workerId: string | null): Promise<void> {
  const result = await context.withOperations((operations) =>
    operations.addWorker({ url, worker_id: workerId }),
  )
  if (context.json) return context.outJson('worker-added/2', result)
  await context.out(`${result.worker_id}\n`)
  if (result.problem !== null) context.note(`${result.worker_id}: ${result.problem}`)
  context.note(`${result.worker_id} is ${result.status}; ${readyText(result)}`)
  context.note('It is forgotten when the server ends; to keep it, put it into SVC_WORKER_URLS.')
}

async function remove(context: Context, workerId: string, { yes }: YesOption): Promise<void> {
  const result = await context.withOperations(async (operations) => {
    if (yes !== true) {
      const workers = await operations.listWorkers()
      // The server refuses to remove one that it has started: nobody is asked in vain.
      const isRefused = workers.some((one) => one.worker_id === workerId && one.supervised)
      if (!isRefused) await confirmLast(context, `Remove ${workerId}?`, workers, workerId)
    }
    return operations.removeWorker({ worker_id: workerId })
  })
  if (context.json) return context.outJson('worker-removed/2', result)
  await context.out(`${workerId}\n`)
  context.note(`${workerId} ${removalText(result)}; ${readyText(result)}`)
}

function removalText({ status, running }: RemovedWorker): string {
  if (status === 'removed') return 'is removed'
  return `is leaving: it still runs ${running}, and is forgotten when they have ended`
}

function readyText({ ready_workers: ready }: { readonly ready_workers: number }): string {
  return `workers that take requests now: ${ready} (see: svc worker list)`
}
