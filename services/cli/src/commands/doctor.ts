/** `svc doctor`: what a server needs, looked at without changing anything. */
import type { ServiceStatus, WorkerDetails } from '@svc/contracts/admin/workers'
import { messageOf } from '@svc/contracts/error-message'
import { printable } from '@svc/contracts/printable'
import { DataFolder } from '@svc/server/data-folder/data-folder'
import type { Finding } from '@svc/server/doctor/examine'
import { environmentOf } from '@svc/server/settings/environment-file'
import { Command } from 'commander'
import { endOnClientDefects, lookForServer } from '../context/connect.ts'
import type { Context } from '../context/context.ts'
import { CliError, EXIT_DIFFERENCE, EXIT_USAGE } from '../context/exit-codes.ts'
import type { ContextOf } from './options.ts'
import { overdueTexts } from './status.ts'

interface DoctorOptions {
  readonly envFile?: string
}

export function doctorCommand(contextOf: ContextOf): Command {
  return new Command('doctor')
    .description(
      'settings, model, data folder, backups, connections, versions, clock, disk: what is wrong',
    )
    .option('--env-file <file>', 'read settings from a file of NAME=value lines, as svc start does')
    .action((options: DoctorOptions, command: Command) => doctor(contextOf(command), options))
}

async function doctor(context: Context, { envFile }: DoctorOptions): Promise<void> {
  if (context.options.url !== undefined) {
    throw new CliError(EXIT_USAGE, 'the doctor looks at this machine: leave --url out')
  }
  context.terminal.catchInterrupt()
  // It is loaded only here, because it knows most of a server.
  const { examine } = await import('@svc/server/doctor/examine')
  await endOnClientDefects((warning) => context.note(warning))
  const { environment: given } = context.terminal
  const environment = envFile === undefined ? given : environmentOf(envFile)
  const dataDir = context.options.dataDir ?? environment.SVC_DATA_DIR ?? context.dataDir
  const findings: Finding[] = []
  const tell = async (finding: Finding) => {
    findings.push(finding)
    if (!context.json) await context.out(lineOf(context, finding))
  }
  const server = await serverFindings(dataDir, context.terminal.stop)
  for (const finding of server.findings) await tell(finding)
  for await (const finding of examine({ environment, dataDir, isRunning: server.isRunning })) {
    await tell(finding)
  }
  const problems = findings.filter(({ state }) => state === 'problem').length
  if (context.json) await context.outJson('doctor/1', { ok: problems === 0, findings })
  if (problems === 0) return
  throw new CliError(
    EXIT_DIFFERENCE,
    `${problems} ${problems === 1 ? 'problem' : 'problems'} found`,
  )
}

/** Asks a running server what it says of itself. */
async function serverFindings(
  dataDir: string,
  stop: AbortSignal,
): Promise<{ readonly isRunning: boolean; readonly findings: readonly Finding[] }> {
  const said = (state: Finding['state'], says: string) => ({ check: 'server', state, says })
  let isRunning = false
  try {
    const server = await lookForServer(new DataFolder(dataDir), stop)
    if (server.state === 'none') {
      return { isRunning, findings: [said('ok', 'none runs on the folder')] }
    }
    isRunning = true
    if (server.state === 'silent') {
      // A busy machine does that too: who ended the process would end answers that are paid for.
      const says =
        `process ${server.pid} did not answer in time: it may be busy. See its log, and ask ` +
        'again in a minute; end it only when it still does not answer'
      return { isRunning, findings: [said('problem', says)] }
    }
    const status = await server.connection.operations.status()
    const workers = await server.connection.operations.listWorkers()
    const problems = [...serverProblems(status), ...workers.flatMap(workerProblems)]
    const busy = workers.filter(isSilent).map(({ worker_id: id }) => {
      return said('note', `worker ${id} is ready and did not tell its load in time: it may be busy`)
    })
    const running = said('ok', `version ${status.version} runs at ${status.base_url}`)
    const found = problems.map((each) => said('problem', each))
    return { isRunning, findings: [running, ...busy, ...found] }
  } catch (error) {
    const message = messageOf(error)
    return { isRunning, findings: [said('problem', message)] }
  }
}

/** What the server says of its parts, but for its workers. */
function serverProblems(status: ServiceStatus): readonly string[] {
  const { store, feed, top_ups: topUps, unpriced_models: unpriced, priced_from: from } = status
  const before = from === null ? '' : ` before ${from}`
  const failed = status.projections.filter(({ state }) => state === 'failed')
  return [
    ...[store, feed, topUps].flatMap((part) => part?.problems ?? []),
    ...failed.map(({ name, error }) => `the view ${name} failed: ${error}`),
    ...overdueTexts(status),
    ...unpriced.map((model) => `no price is in force for ${model}${before}`),
  ]
}

/** A worker drains because somebody asked it to. */
function workerProblems(worker: WorkerDetails): readonly string[] {
  const { worker_id: id, status, problem } = worker
  if (isSilent(worker)) return []
  if (status === 'ready') return problem === null ? [] : [`worker ${id}: ${problem}`]
  if (status !== 'draining') return [`worker ${id} is ${status}: see its log`]
  return [`worker ${id} takes no requests: end that with svc worker drain ${id} --undo`]
}

/** It serves, and did not answer this once: nobody has to act. */
function isSilent({ status, cache }: WorkerDetails): boolean {
  return status === 'ready' && cache?.use === null
}

const WORDS = { ok: 'ok     ', note: 'note   ', problem: 'PROBLEM' } as const

function lineOf(context: Context, { check, state, says }: Finding): string {
  const word = state === 'problem' ? context.alarm(WORDS[state]) : WORDS[state]
  return `${word}  ${printable(check)}: ${printable(says)}\n`
}
