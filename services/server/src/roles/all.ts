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
import { START } from '@svc/contracts/ports/event-store'
import { untilAborted, within } from '@svc/contracts/ports/within'
import type { IssuedLink } from '@svc/identity/users/users'
import { crashPointsFromPlan } from '@svc/infra/system/crash-points'
import { steadyClock } from '@svc/infra/system/steady-clock'
import { systemTimer } from '@svc/infra/system/system-timer'
import {
  PUBLISH_A_PRICE,
  type UnpricedModels,
  unpricedModels,
} from '@svc/operator/operations/unpriced-models'
import { workerSummaries } from '@svc/operator/workers/worker-summary'
import type { Logger } from 'pino'
import { AccountNews } from '../core/account-news.ts'
import { type Core, openCore } from '../core/core.ts'
import { type DemoAccount, type FirstRun, prepareFirstRun } from '../core/first-run.ts'
import { noteLog } from '../core/log-identity.ts'
import { OpenResources } from '../core/open-resources.ts'
import { type OpenStores, openStores, type StoreOptions } from '../core/open-store.ts'
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
import { projector } from './projector.ts'
import { type Ready, readyOf } from './ready.ts'
import { relay } from './relay.ts'
import { checkRole, type Role, type RoleName } from './role.ts'
import { sweeper } from './sweeper.ts'

const WORKER_STOP_MS = 2_000
/** How long the rest of a stop may take after the grace period, with the events on a server. */
const SERVER_CLOSE_MS = 2_000

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
      return await serve({ ...kept, role, stopRequested, otherLog })
    } finally {
      stopRequested.removeEventListener('abort', abandon)
    }
  } catch (error) {
    await parts.close()
    throw error
  }
}

async function serve(surroundings: Surroundings): Promise<RunningServer> {
  const { settings, logger, role, folder, place, workers, parts, stopRequested } = surroundings
  const failure = Promise.withResolvers<void>()
  const storeOptions = {
    ...{ folder, place, reach: surroundings.reach, logger },
    onFatal(error: unknown) {
      logger.fatal({ err: error }, 'the disk of the ledger has failed: the server ends')
      failure.resolve()
    },
  }
  // On a first start nothing is written before the model is known to work; later starts save the
  // time.
  const modelWorks = workers.ready()
  modelWorks.catch(() => {})
  // A large model loads for minutes. A store that cannot be used is reported before that.
  const checked = { ...storeOptions, checkWrites: true, isStarting: true }
  const stores = await openServerStores(checked, parts, stopRequested)
  if (isFirstStart(folder, place)) await modelWorks
  stopRequested.throwIfAborted()
  if (place.kind === 'sqlite') folder.make()
  const { SVC_EVIDENCE_KEY: evidenceKey, SVC_BACKUP_DIR: backupDir } = settings
  const viewServers = openViewServers(settings, logger, parts)
  const opening = openCore({
    ...{ ...storeOptions, stores, evidenceKey, backupDir, viewServers },
    otherLog: surroundings.otherLog,
    foreignViews: 'rebuild',
  })
  const core = await (place.kind === 'sqlite' ? opening : untilAborted(opening, stopRequested))
  parts.add(() => core.close())
  const demo = await beginRun(core, folder, firstRunOf(role, settings), modelWorks)
  await modelWorks
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
  const hasDashboard =
    role.hasDashboard && viewServers === undefined && settings.SVC_DASHBOARD === 'on'
  const ownerLink = hasDashboard ? await ownerLinkOf(core, demo.accountId, logger) : undefined
  folder.writeServer({ pid: process.pid, baseUrl, adminUrl, startedAt: new Date().toISOString() })
  stores?.started?.()
  return {
    ready: readyOf({
      ...urls,
      ...{ demo, folder, unpriced, hasDashboard },
      role: role.name,
      workers: summaries,
      ledger: core.ledger,
      ownerSecret: ownerLink?.secret,
    }),
    failed: failure.promise,
    stop(graceMs) {
      ending.graceMs = graceMs
      // Who cannot wait for running requests gives no notice either.
      ending.noticeMs = graceMs === 0 ? 0 : settings.SVC_SHUTDOWN_NOTICE_MS
      const closing = parts.close()
      if (place.kind === 'sqlite') return closing
      return withoutHungServer(closing, ending.noticeMs + graceMs + SERVER_CLOSE_MS, logger)
    },
  }
}

/** Starts what this process does besides answering requests. */
async function startDuties(surroundings: Surroundings, core: Core): Promise<Duties> {
  const { parts, logger, place, role } = surroundings
  parts.add(startQuarantineRounds({ ...core, clock: steadyClock, timer: systemTimer, logger }))
  const accountNews =
    place.kind === 'sqlite' ? undefined : await openAccountNews(surroundings, core)
  return { accountNews, feed: await role.start(surroundings, core) }
}

/** Follows what other processes write to the accounts that this one has in memory. */
async function openAccountNews({ parts, logger }: Surroundings, core: Core): Promise<AccountNews> {
  const news = await AccountNews.start({ ...core, clock: steadyClock, timer: systemTimer, logger })
  parts.add(() => news.stop())
  return news
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

/**
 * Opens the stores on a server, and writes nothing. It waits while the server is away; a stop ends
 * that wait, and what was opened by then ends with the process.
 *
 * @returns undefined when the events are in a file
 */
async function openServerStores(
  options: StoreOptions,
  parts: OpenResources,
  stopRequested: AbortSignal,
): Promise<OpenStores | undefined> {
  if (options.place.kind === 'sqlite') return undefined
  return untilAborted(openStores(options, parts), stopRequested)
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

/**
 * Bounds a stop when the event store hangs. Appends under way may have been written or not, as
 * after a crash, and the next start finds out.
 */
async function withoutHungServer(
  closing: Promise<boolean>,
  withinMs: number,
  logger: Logger,
): Promise<boolean> {
  const isClean = await within(systemTimer, withinMs, closing, undefined)
  if (isClean === undefined) logger.error('the event store does not answer: stopped without it')
  return isClean ?? false
}

function isFirstStart(folder: DataFolder, place: LogLocation): boolean {
  return place.kind === 'sqlite' ? !folder.holdsLedger() : folder.readLog() === undefined
}

/** Records this run for the next start. A first start also makes what a newcomer needs. */
async function beginRun(
  core: Core,
  folder: DataFolder,
  first: FirstRun,
  modelWorks: Promise<void>,
): Promise<DemoAccount> {
  if (core.place.kind === 'sqlite') return prepareFirstRun(core, folder, first)
  // Empty again: the server was wiped, or it is another one.
  if ((await core.store.lastPosition()) === START) await modelWorks
  folder.noteRun(core.gatewayId)
  const demo = await prepareFirstRun(core, folder, first)
  await noteLog(core.store, core.place, folder)
  return demo
}
