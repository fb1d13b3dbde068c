/**
 * The composition root of the server: the one place where ports meet adapters. The role of the
 * process says which of its duties it has; by default it has all of them. A program that embeds the
 * server starts it here, without the command line:
 *
 * @example
 * import { startServer } from '@svc/server/roles/all'
 * import { readSettings } from '@svc/server/settings/settings'
 *
 * const settings = readSettings({ SVC_DATA_DIR: '/var/lib/svc', SVC_PORT: '0' })
 * const server = await startServer(settings, { logger: pino() })
 * console.log(server.ready.baseUrl)
 * await server.stop(10_000)
 *
 * The start checks everything that can fail (settings, folder, port, model) before it writes
 * anything. The stop goes the other way: it refuses new requests, ends the running ones, closes the
 * views, the ledger and the store, and then the worker.
 */

import { FIRST_RUN_ACTOR } from '@svc/contracts/events/actors'
import { pricingStream } from '@svc/contracts/events/pricing'
import { usersStream } from '@svc/contracts/events/users'
import type { IssuedLink } from '@svc/identity/users/users'
import { timeAheadOf } from '@svc/infra/event-store/newest-time'
import { diskRefusalOf } from '@svc/infra/sqlite/open-errors'
import { crashPointsFromPlan } from '@svc/infra/system/crash-points'
import { steadyClock } from '@svc/infra/system/steady-clock'
import { systemClock } from '@svc/infra/system/system-clock'
import { systemTimer } from '@svc/infra/system/system-timer'
import {
  PUBLISH_A_PRICE,
  type UnpricedModels,
  unpricedModels,
} from '@svc/operator/operations/unpriced-models'
import { workerSummaries } from '@svc/operator/workers/worker-summary'
import type { Logger } from 'pino'
import type { Core } from '../core/core.ts'
import type { FirstRun } from '../core/first-run.ts'
import { OpenResources } from '../core/open-resources.ts'
import { startQuarantineRounds } from '../core/quarantine-rounds.ts'
import { DataFolder } from '../data-folder/data-folder.ts'
import { type Duties, type GatewaySurroundings, openGateway } from '../gateway/open-gateway.ts'
import { openViewServers } from '../gateway/open-view-servers.ts'
import { reservePort } from '../gateway/reserved-port.ts'
import { initialPriceOf } from '../settings/initial-price.ts'
import { type LogLocation, logLocationOf } from '../settings/log-location.ts'
import type { Settings } from '../settings/settings.ts'
import { noInferenceWorkers, startInferenceWorkers } from '../supervision/inference-workers.ts'
import type { ModelProgress } from '../supervision/supervised-fleet.ts'
import { gateway as gatewayRole } from './gateway.ts'
import { type LogSteps, logStepsOf } from './log-steps.ts'
import { projector } from './projector.ts'
import { type Ready, readyOf } from './ready.ts'
import { relay } from './relay.ts'
import { startErasingReturnedTexts } from './returned-texts.ts'
import { checkRole, type Role, type RoleName } from './role.ts'
import { sweeper } from './sweeper.ts'

const WORKER_STOP_MS = 2_000

/** `svc start`: what every role does, in one process. */
const all: Role = {
  name: 'all',
  isGateway: true,
  hasDashboard: true,
  async start(surroundings, core) {
    await sweeper.start(surroundings, core)
    await projector.start(surroundings, core)
    return relay.start(surroundings, core)
  },
}

const roles: Readonly<Record<RoleName, Role>> = {
  all,
  gateway: gatewayRole,
  projector,
  relay,
  sweeper,
}

export type { Ready } from './ready.ts'

export interface RunningServer {
  readonly ready: Ready
  /** Resolves when the server cannot go on. The log says why; the program must then end. */
  readonly failed: Promise<void>
  /**
   * Stops in order. Running requests may end by themselves for `graceMs`; then they are stopped and
   * settled.
   *
   * @returns whether everything was closed without an error
   */
  stop(graceMs: number): Promise<boolean>
}

export interface StartOptions {
  readonly logger: Logger
  /** Default: `all`, every role in this process. */
  readonly role?: RoleName
  /** Ends the start early when it aborts: loading a large model takes minutes. */
  readonly stopRequested?: AbortSignal
  /** Whether to accept another event log, or an older copy, than the folder was used with. */
  readonly acceptNewStore?: boolean
  /** Shows how far the model has been downloaded and loaded. Default: lines in the log. */
  readonly progress?: ModelProgress
}

/** What every step of the start can use. */
interface Surroundings extends GatewaySurroundings {
  readonly role: Role
  readonly place: LogLocation
  readonly logSteps: LogSteps
  readonly stopRequested: AbortSignal
  readonly otherLog: 'refuse' | 'accept'
}

/**
 * Starts a server, and resolves when it answers requests. It installs no signal handlers, writes
 * nothing to standard output, and never ends the process: when `failed` resolves, the disk of the
 * ledger has failed, and the program has to end.
 *
 * @param settings made of an environment by `readSettings`
 * @throws with one line that says what to do. A first start that fails has written nothing
 */
export async function startServer(
  settings: Settings,
  { logger, stopRequested = new AbortController().signal, progress, ...options }: StartOptions,
): Promise<RunningServer> {
  const reach = crashPointsFromPlan(settings.SVC_CRASH_POINT)
  const role = roles[options.role ?? 'all']
  const place = logLocationOf(settings)
  checkRole(role, settings, place)
  const folder = new DataFolder(settings.SVC_DATA_DIR)
  folder.check()
  const parts = new OpenResources(logger)
  try {
    const reserved = await reservePort(settings.SVC_HOST, settings.SVC_PORT)
    parts.add(() => reserved.release())
    const workers = role.isGateway
      ? await startInferenceWorkers(settings, folder.comingSecrets().cacheKey, logger, progress)
      : noInferenceWorkers()
    parts.add(() => workers.stop(WORKER_STOP_MS))
    stopRequested.throwIfAborted()
    const kept = { settings, logger, reach, folder, place, workers, reserved, parts }
    // A large model loads for minutes. A stop does not wait for that.
    const abandon = () => void workers.stop(0)
    stopRequested.addEventListener('abort', abandon)
    try {
      const otherLog = options.acceptNewStore === true ? 'accept' : 'refuse'
      const logSteps = logStepsOf(place)
      return await serve({ ...kept, role, logSteps, stopRequested, otherLog })
    } finally {
      stopRequested.removeEventListener('abort', abandon)
    }
  } catch (error) {
    await parts.close()
    throw diskRefusalOf(error, folder.path)
  }
}

/**
 * Starts in three phases. Each takes what the one before it made, so none can come too early:
 *
 *     checks    writes nothing: the store can be used; on a first start the model works, too
 *     opened    the folder, the log and the views are open, and this run is recorded in them
 *     answers   the model works, and requests are answered
 */
async function serve(surroundings: Surroundings): Promise<RunningServer> {
  const { settings, logger, parts, logSteps } = surroundings
  const opened = await openCoreOf(surroundings, await checkWritingNothing(surroundings))
  const { ready, ending } = await answer(surroundings, opened)
  return {
    ready,
    failed: opened.failed,
    stop(graceMs) {
      ending.graceMs = graceMs
      // Who cannot wait for running requests gives no notice either.
      ending.noticeMs = graceMs === 0 ? 0 : settings.SVC_SHUTDOWN_NOTICE_MS
      return logSteps.closed(parts.close(), ending.noticeMs + graceMs, logger)
    },
  }
}

async function checkWritingNothing(surroundings: Surroundings) {
  const { logger, folder, place, workers, parts, logSteps, reach, stopRequested } = surroundings
  const failure = Promise.withResolvers<void>()
  const storeOptions = {
    folder,
    place,
    reach,
    logger,
    onFatal(error: unknown) {
      logger.fatal({ err: error }, 'the disk of the ledger has failed: the server ends')
      failure.resolve()
    },
  }
  const modelWorks = workers.ready()
  modelWorks.catch(() => {})
  // A large model loads for minutes. A store that cannot be used is reported before that.
  const options = { ...storeOptions, checkWrites: true, isStarting: true }
  const stores = await logSteps.openStores(options, parts, stopRequested)
  // Later starts save the time.
  if (logSteps.isFirstStart(folder)) await modelWorks
  stopRequested.throwIfAborted()
  return { storeOptions, stores, modelWorks, failed: failure.promise }
}

type Checked = Awaited<ReturnType<typeof checkWritingNothing>>

async function openCoreOf(surroundings: Surroundings, checked: Checked) {
  const { settings, logger, role, folder, parts, logSteps, otherLog, stopRequested } = surroundings
  const { storeOptions, stores, modelWorks } = checked
  const { SVC_EVIDENCE_KEY: evidenceKey, SVC_BACKUP_DIR: backupDir } = settings
  const viewServers = openViewServers(settings, logger, parts)
  const options = { ...storeOptions, stores, evidenceKey, backupDir, viewServers, otherLog }
  const core = await logSteps.openCore({ ...options, foreignViews: 'rebuild' }, stopRequested)
  parts.add(() => core.close())
  const demo = await logSteps.beginRun(core, folder, firstRunOf(role, settings), modelWorks)
  return { ...checked, core, demo, viewServers }
}

type Opened = Awaited<ReturnType<typeof openCoreOf>>

async function answer(surroundings: Surroundings, opened: Opened) {
  const { settings, logger, role, folder, workers, parts, stopRequested } = surroundings
  const { core, demo, stores, viewServers } = opened
  await opened.modelWorks
  stopRequested.throwIfAborted()
  parts.add(() => folder.removeServer())
  const duties = await startDuties(surroundings, core)
  const { gateway, baseUrl, adminUrl } = await openGateway(surroundings, core, duties, role)
  const ending = { graceMs: 0, noticeMs: 0 }
  parts.add(() => gateway.close(ending))
  // Of gateways that start together, one publishes the first price, and this one warns of none.
  if (core.ledger.pricing.published().length === 0) await core.ledger.pricing.lookAgain()
  const summaries = workerSummaries({ fleet: workers.pool, supervised: workers.supervised })
  const unpriced = unpricedModels(core.ledger.pricing, summaries)
  warnOfUnpriced(unpriced, core, logger)
  const urls = { baseUrl, adminUrl, publicUrl: settings.SVC_PUBLIC_URL }
  const hasViews = viewServers === undefined
  const hasDashboard = role.hasDashboard && hasViews && settings.SVC_DASHBOARD === 'on'
  const ownerLink = hasDashboard ? await ownerLinkOf(core, demo.accountId, logger) : undefined
  warnOfBackup(folder, logger)
  await warnOfClock(core.store, logger)
  folder.writeServer({ pid: process.pid, baseUrl, adminUrl, startedAt: new Date().toISOString() })
  stores?.started?.()
  const ready = readyOf({
    ...urls,
    demo,
    folder,
    unpriced,
    hasDashboard,
    hasViews,
    role: role.name,
    workers: summaries,
    ledger: core.ledger,
    ownerSecret: ownerLink?.secret,
  })
  return { ready, ending }
}

/** Starts what this process does besides answering requests. */
async function startDuties(surroundings: Surroundings, core: Core): Promise<Duties> {
  const { parts, logger, logSteps, role, place } = surroundings
  parts.add(startQuarantineRounds({ ...core, clock: steadyClock, timer: systemTimer, logger }))
  if (place.kind === 'sqlite') {
    parts.add(startErasingReturnedTexts({ ...core, timer: systemTimer, logger }))
  }
  const accountNews = await logSteps.followAccounts(core, logger, parts)
  return { accountNews, feed: await role.start(surroundings, core) }
}

/** Only a gateway makes the account, the key and the price that a newcomer needs. */
function firstRunOf({ isGateway }: Role, settings: Settings): FirstRun {
  if (!isGateway) return { kind: 'empty', price: undefined }
  return { kind: settings.SVC_FIRST_RUN, price: initialPriceOf(settings) }
}

function warnOfUnpriced(unpriced: UnpricedModels, { quarantine }: Core, logger: Logger): void {
  const { names: models, pricedFrom } = unpriced
  if (models.length === 0) return
  const isDamaged = quarantine.find(pricingStream) !== undefined
  const message = isDamaged
    ? 'prices are damaged and none were known here before, requests are refused until they are mended'
    : `no price is in force for a model that is served, its requests are refused: svc ${PUBLISH_A_PRICE}`
  const from = pricedFrom === null ? {} : { pricedFrom: new Date(pricedFrom).toISOString() }
  logger.warn({ models, ...from }, message)
}

/** The log of a backup cannot know what was done after it. */
function warnOfBackup(folder: DataFolder, logger: Logger): void {
  const backup = folder.readBackup()
  if (backup === undefined) return
  logger.warn(
    backup,
    'started on a backup, erase and revoke again what was erased or revoked since',
  )
  folder.removeBackup()
}

async function warnOfClock(store: Core['store'], logger: Logger): Promise<void> {
  const newestMs = await timeAheadOf(systemClock, store)
  if (newestMs === undefined) return
  const aheadSeconds = Math.round((newestMs - systemClock.nowMs()) / 1_000)
  logger.warn(
    { newest: new Date(newestMs).toISOString(), aheadSeconds },
    'the event log is ahead of the clock of this machine, which is wrong or was: look at its time',
  )
}

/** Damage to the users' stream must not keep the server from answering requests. */
async function ownerLinkOf(
  { users, quarantine }: Pick<Core, 'users' | 'quarantine'>,
  accountId: string | undefined,
  logger: Logger,
): Promise<IssuedLink | undefined> {
  try {
    return await users.issueOwnerLink(FIRST_RUN_ACTOR, accountId)
  } catch (err) {
    if (quarantine.find(usersStream) === undefined) throw err
    logger.error({ err }, 'the stream of the users is set aside: nobody can sign in')
    return undefined
  }
}
