/** Does the work of `svc start worker`: runs one worker in this process until somebody stops it. */
import { once } from 'node:events'
import { hostname } from 'node:os'
import { environmentOf } from '@svc/server/settings/environment-file'
import { logLevelOf, warnOfForeignVariables } from '@svc/server/settings/settings'
import { LIBUV_THREADS } from '@svc/worker/process/libuv-threads'
import { type Log, logTo } from '@svc/worker/process/log'
import { EXIT_BROKEN, ModelFileRefused, StartRefused } from '@svc/worker/process/start-refused'
import type { RunningWorker } from '@svc/worker/run-worker'
import { settingsOf, type WorkerWords } from '@svc/worker/settings/worker-settings'
import { type Logger, pino } from 'pino'
import { CliError, EXIT_DIFFERENCE, EXIT_OK, EXIT_USAGE } from '../context/exit-codes.ts'
import { progressOnStandardError } from '../output/progress-display.ts'
import { stopRequests } from './stop-requests.ts'

/** A worker that listens here takes connections to every address of the machine. */
const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

/** Has what the command line can say: the options of a worker, and those of the command. */
export type StartWorkerOptions = WorkerWords & {
  readonly envFile?: string
  readonly json?: true
}

/**
 * Runs the worker and never returns: it ends the process.
 *
 * @throws {CliError} when the worker cannot start
 */
export async function runWorkerUntilStopped(options: StartWorkerOptions): Promise<void> {
  // This comes before anything uses the pool, which then has its size for good.
  process.env.UV_THREADPOOL_SIZE ??= LIBUV_THREADS
  const environment = environmentOf(options.envFile)
  const log = logWithProgress(pino({ level: logLevelOf(environment), base: null }, process.stderr))
  warnOfForeignVariables(environment, (warning) => log('warn', warning))
  const stopRequested = stopRequests()
  // A large model loads for minutes: who wants to stop does not wait for it.
  const abandon = () => process.exit(EXIT_OK)
  stopRequested.addEventListener('abort', abandon)
  const worker = await started(options, environment, log)
  stopRequested.removeEventListener('abort', abandon)
  process.stdout.write(options.json === true ? readyLine(worker) : readyPage(worker))
  if (!stopRequested.aborted) await once(stopRequested, 'abort')
  await worker.stop()
  process.exit(EXIT_OK)
}

function logWithProgress(logger: Logger): Log {
  const log = logTo(logger)
  const progress = progressOnStandardError(logger)
  return (level, message, fields) => {
    if (progress.show(undefined, message, fields)) return
    progress.clear()
    log(level, message, fields)
  }
}

async function started(
  words: WorkerWords,
  environment: NodeJS.Dict<string>,
  log: Log,
): Promise<RunningWorker> {
  const settings = orRefused(EXIT_USAGE, () => settingsOf(words, environment))
  // It is loaded only here: llama.cpp takes a while, and a wrong setting is reported at once.
  const { runWorker } = await import('@svc/worker/run-worker')
  try {
    return await runWorker(settings, log, (error) => {
      log('error', 'model runtime failed, worker exits', { err: error })
      process.exit(EXIT_BROKEN)
    })
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error
    return ended(error)
  }
}

/** Ends the process, which what was loaded would keep alive. */
function ended(error: StartRefused): Promise<never> {
  const exitCode = error instanceof ModelFileRefused ? EXIT_USAGE : EXIT_DIFFERENCE
  process.stderr.write(`svc: ${error.message}\n`, () => process.exit(exitCode))
  return new Promise(() => {})
}

function orRefused<Result>(exitCode: number, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof StartRefused) throw new CliError(exitCode, error.message)
    throw error
  }
}

function readyLine({ address, health }: RunningWorker): string {
  return `${JSON.stringify({ type: 'ready', address, pid: process.pid, health })}\n`
}

function readyPage({ address, health }: RunningWorker): string {
  const url = urlOf(address)
  return `
The worker ${health.workerId} is ready.

  Address     ${url}
  Model       ${health.modelName}${health.toy ? ' (a toy)' : ''}
  Context     ${health.contextSize} tokens for each of ${health.load.sequences} requests at once

A running server takes it in with: svc worker add ${url}

Stop with Ctrl-C: what runs is ended first.
`
}

/** Gives the URL at which a server reaches the worker. */
function urlOf(address: RunningWorker['address']): string {
  if ('socketPath' in address) return `unix:${address.socketPath}`
  const { host = '127.0.0.1', port } = address
  const name = WILDCARDS.has(host) ? hostname() : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}
