/** Does the work of `svc start`: runs a server until somebody stops it. */
import { once } from 'node:events'
import { within } from '@svc/contracts/ports/within'
import { isUnhandledClientError } from '@svc/infra/event-store/eventstoredb/client/unhandled-client-errors'
import { systemTimer } from '@svc/infra/system/system-timer'
import {
  type RunningServer,
  type StartOptions as ServerStartOptions,
  startServer,
} from '@svc/server/roles/all'
import { environmentOf } from '@svc/server/settings/environment-file'
import type { Environment } from '@svc/server/settings/setting-names'
import { readSettings, type Settings, warnOfForeignVariables } from '@svc/server/settings/settings'
import { pino } from 'pino'
import { endOnDefects } from '../context/defects.ts'
import {
  CliError,
  EXIT_DIFFERENCE,
  EXIT_OK,
  EXIT_UNREACHABLE,
  EXIT_USAGE,
} from '../context/exit-codes.ts'
import { progressOnStandardError } from '../output/progress-display.ts'
import { readerOf, readyLine, readyPage } from '../output/ready-message.ts'
import { stopRequests } from './stop-requests.ts'

export interface StartOptions {
  readonly port?: string
  readonly host?: string
  readonly dataDir?: string
  readonly model?: string
  readonly envFile?: string
  readonly json?: true
  readonly acceptNewStore?: true
}

const STANDARD_ERROR = 2
/** A server whose disk has failed may take this long to close the rest. */
const FAILED_STOP_MS = 5_000

/**
 * Runs the server and never returns: it ends the process, with the exit code of how the server
 * ended.
 */
export async function runServer(
  options: StartOptions,
  role: RunningServer['ready']['role'] = 'all',
): Promise<void> {
  const environment = givenBy(options)
  const settings = settingsOf(environment, options)
  const logger = pino(
    { level: settings.SVC_LOG_LEVEL, base: null },
    pino.destination(STANDARD_ERROR),
  )
  warnOfForeignVariables(environment, (warning) => logger.warn(warning))
  endOnDefects(logger, isUnhandledClientError)
  const stopRequested = stopRequests()
  const acceptNewStore = options.acceptNewStore ?? false
  const service = await started(settings, { logger, stopRequested, acceptNewStore, role })
  if (service === undefined) process.exit(EXIT_OK)
  if (!stopRequested.aborted) {
    const { ready } = service
    const message =
      options.json === true ? readyLine(ready) : readyPage(ready, readerOf(process.env))
    process.stdout.write(`${message}\n`)
  }
  const failed = await Promise.race([
    aborted(stopRequested).then(() => false),
    service.failed.then(() => true),
  ])
  if (failed) await endAfterFailure(service)
  const clean = await service.stop(settings.SVC_SHUTDOWN_GRACE_MS)
  process.exit(clean ? EXIT_OK : EXIT_DIFFERENCE)
}

/**
 * Starts the server. Gives nothing when a stop was asked for while it started: that is no failure.
 */
async function started(
  settings: Settings,
  options: ServerStartOptions & { readonly stopRequested: AbortSignal },
): Promise<RunningServer | undefined> {
  try {
    const progress = progressOnStandardError(options.logger)
    return await startServer(settings, { ...options, progress })
  } catch (error) {
    if (options.stopRequested.aborted) return undefined
    throw error
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

/** Closes what can still be closed, but nothing may keep a failed server alive. */
async function endAfterFailure(service: RunningServer): Promise<never> {
  await within(systemTimer, FAILED_STOP_MS, service.stop(0), undefined)
  process.exit(EXIT_UNREACHABLE)
}

const flags = [
  ['SVC_PORT', '--port', 'port'],
  ['SVC_HOST', '--host', 'host'],
  ['SVC_DATA_DIR', '--data-dir', 'dataDir'],
  ['SVC_MODEL', '--model', 'model'],
] as const

/** Flags win over the environment, and that over the file. */
function givenBy(options: StartOptions): Environment {
  const given = flags.flatMap(([name, , option]) => {
    return options[option] === undefined ? [] : [[name, options[option]] as const]
  })
  return { ...environmentOf(options.envFile), ...Object.fromEntries(given) }
}

/** @throws {Error} that names the flag of a setting that a flag gave */
function settingsOf(environment: Environment, options: StartOptions): Settings {
  try {
    return readSettings(environment)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const given = flags.find(([name, , option]) => {
      return options[option] !== undefined && error.message.startsWith(`${name}: `)
    })
    if (given === undefined) throw error
    const [name, flag] = given
    throw new CliError(EXIT_USAGE, `${flag}${error.message.slice(name.length)}`)
  }
}
