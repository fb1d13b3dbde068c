/** Puts the gateway on the core and the workers, with the operator's API beside it. */
import type { ReachCrashPoint } from '@svc/contracts/crash-points'
import { observedBy } from '@svc/contracts/ports/request-observer'
import { openPages } from '@svc/dashboard/pages'
import type { GatewayDependencies } from '@svc/gateway/dependencies'
import { createGateway, type Gateway } from '@svc/gateway/gateway'
import { LedgerHealth } from '@svc/gateway/routes/ledger-health'
import { freeBytes } from '@svc/infra/free-bytes'
import { steadyClock } from '@svc/infra/system/steady-clock'
import { systemClock } from '@svc/infra/system/system-clock'
import { systemTimer } from '@svc/infra/system/system-timer'
import type { Feed } from '@svc/operator/feed/feed'
import { adminRoutes } from '@svc/operator/http/admin-routes'
import type { OperationRoutes } from '@svc/operator/http/operation-routes'
import { createMetrics, type Metrics, type MetricsSources } from '@svc/operator/metrics/metrics'
import {
  createLocalOperations,
  type OperationPorts,
} from '@svc/operator/operations/local-operations'
import { NameMemory } from '@svc/operator/operations/name-memory'
import { RequestLog } from '@svc/operator/request-log/request-log'
import type { Logger } from 'pino'
import type { AccountNews } from '../core/account-news.ts'
import type { Core } from '../core/core.ts'
import type { OpenResources } from '../core/open-resources.ts'
import type { DataFolder } from '../data-folder/data-folder.ts'
import { adminListenAt } from '../settings/admin-address.ts'
import { httpLimitsOf } from '../settings/http-limits.ts'
import type { Settings } from '../settings/settings.ts'
import type { InferenceWorkers } from '../supervision/inference-workers.ts'
import { VERSION } from '../version.ts'
import { type KeptAnswers, openKeptAnswers } from './kept-answers.ts'
import { type DashboardSurroundings, openDashboard } from './open-dashboard.ts'
import { openRateLimits } from './open-rate-limits.ts'
import type { ReservedPort } from './reserved-port.ts'
import { urlHost } from './url-host.ts'

/** The root page links only what a browser can open without a key. */
const LINKS = [
  { title: 'API reference', href: 'docs' },
  { title: 'Is it ready?', href: 'readyz' },
]

export interface GatewaySurroundings {
  readonly settings: Settings
  readonly logger: Logger
  readonly reach: ReachCrashPoint
  readonly folder: DataFolder
  readonly workers: InferenceWorkers
  readonly reserved: ReservedPort
  /** Takes what has to be closed behind the gateway. */
  readonly parts: OpenResources
}

/** The parts of the HTTP interface that not every process has, as its role says. */
interface ServedParts {
  /** Requests for inference. */
  readonly isGateway: boolean
  readonly hasDashboard: boolean
}

/** What this process does all the time, as far as the HTTP interface has to do with it. */
export interface Duties {
  readonly feed: Feed | undefined
  /** News of accounts, where other processes write the same ones. */
  readonly accountNews: AccountNews | undefined
}

export interface OpenGateway {
  readonly gateway: Gateway
  readonly baseUrl: string
  /** The base URL, unless the operator's API has an address of its own. */
  readonly adminUrl: string
}

export async function openGateway(
  { settings, logger, reach, folder, workers, reserved, parts }: GatewaySurroundings,
  core: Core,
  { feed, accountNews }: Duties,
  { isGateway, hasDashboard }: ServedParts,
): Promise<OpenGateway> {
  const { ledger, pace } = core
  const adminAt = adminListenAt(settings.SVC_HOST, settings.SVC_ADMIN_ADDRESS)
  const baseUrl = `http://${urlHost(settings.SVC_HOST)}:${reserved.port}`
  let adminUrl = baseUrl
  const keptAnswers = await openKeptAnswers({ settings, folder, logger, isGateway, parts })
  const rateLimits = await openRateLimits(settings, logger)
  parts.add(() => rateLimits.close())
  const metrics = metricsOf({ workers, folder }, core, feed, () => gateway.isReady())
  const requestLog = requestLogOf(settings, core.refusedRequests, logger)
  const limits = httpLimitsOf(settings)
  if (accountNews !== undefined) accountNews.onErased = removingFrom(keptAnswers, logger)
  const kept = { settings, folder, workers, feed, keptAnswers }
  const operatorPorts = operatorPortsOf(kept, core, baseUrl)
  const operationsOf: OperationRoutes['operationsOf'] = (caller) =>
    createLocalOperations(operatorPorts, caller)
  const dashboard = { settings, folder, logger, rateLimits, operationsOf, parts }
  const admin = adminRoutes({
    operationsOf,
    operatorToken: folder.secrets().operatorToken,
    adminTokens: core.adminTokens,
    rateLimits,
    badTokensPerMinute: limits.badKeysPerMinute,
    address: () => adminUrl,
    metrics,
  })
  const gateway = createGateway({
    accounts: { ledger, accountNews, ledgerHealth: healthOf(settings, core, logger) },
    history: historyOf(settings, core),
    inference: {
      workers: workers.pool,
      runsModel: isGateway,
      tenantWeights: settings.SVC_TENANT_WEIGHTS,
      ...keptAnswers,
      requestObserver: observedBy([metrics.requests, requestLog]),
    },
    people: {
      admin,
      isAdminApart: adminAt !== undefined,
      ...(hasDashboard && core.viewServers === undefined ? await dashboardOf(dashboard, core) : {}),
    },
    presence: {
      createdAt: firstPricedAt(ledger),
      pageInformation: { version: VERSION, links: LINKS },
      publicPrices: settings.SVC_PUBLIC_PRICES === 'on',
      publicUrl: settings.SVC_PUBLIC_URL,
    },
    traffic: {
      limits,
      rateLimits,
      trustedProxies: settings.SVC_TRUSTED_PROXIES ?? [],
      corsOrigins: settings.SVC_CORS_ORIGINS ?? [],
      served: pace,
    },
    process: { clock: systemClock, steadyClock, timer: systemTimer, logger, reach },
  })
  await reserved.release()
  await gateway.listen({ host: settings.SVC_HOST, port: reserved.port })
  if (adminAt !== undefined) {
    const { port } = await gateway.listenAdmin(adminAt)
    adminUrl = `http://${urlHost(adminAt.host)}:${port}`
  }
  return { gateway, baseUrl, adminUrl }
}

/** @returns seconds since 1970: the model is sold here since it first had a price */
function firstPricedAt({ pricing }: Core['ledger']): number {
  const [first] = pricing.published()
  return Math.floor((first?.publishedAt ?? systemClock.nowMs()) / 1000)
}

function historyOf(settings: Settings, core: Core): GatewayDependencies['history'] {
  const { store: log, projections, evidence, texts, auditTrail: exportTrail } = core
  const { views, reached: viewsReached } = projections
  const here = { log, views, viewsReached, evidence, texts, exportTrail }
  return { ...here, ...viewsHopOf(settings, core) }
}

/** Views that are elsewhere; or that gateways elsewhere may ask for. */
function viewsHopOf({ SVC_VIEWS_SECRET: secret }: Settings, core: Core) {
  const { viewServers: viewsElsewhere, usedKeys, projections } = core
  if (viewsElsewhere !== undefined) return { viewsElsewhere }
  if (secret === undefined) return {}
  const { runningRequests } = projections.views
  return { viewsFor: { secret, usedKeys, runningRequests } }
}

function metricsOf(
  { workers, folder }: Pick<GatewaySurroundings, 'workers' | 'folder'>,
  core: Core,
  feed: Feed | undefined,
  isReady: MetricsSources['isReady'],
): Metrics {
  return createMetrics({
    ...core,
    fleet: workers.pool,
    supervised: workers.supervised,
    feed,
    clock: systemClock,
    isReady,
    freeBytes: () => freeBytes(folder.path),
    // Events on a server are backed up there: a copy of this folder tells nothing of them.
    backups: core.place.kind === 'sqlite' ? core.backups : undefined,
  })
}

/** Opens the API and the pages of the dashboard, unless it is switched off. */
async function dashboardOf(surroundings: DashboardSurroundings, core: Core) {
  const { settings, logger, parts } = surroundings
  if (settings.SVC_DASHBOARD !== 'on') return {}
  const pages = openPages({ logger })
  parts.add(() => pages.close())
  return { dashboard: await openDashboard(surroundings, core), dashboardPages: pages.routes }
}

/** What another gateway erased leaves the files of this one as well. */
function removingFrom(keptAnswers: KeptAnswers, logger: Logger): (accountId: string) => void {
  return (accountId) => {
    keptAnswers.removeAll(accountId).catch((err: unknown) => {
      logger.error({ err, accountId }, 'failed to remove kept answers of an erased account')
    })
  }
}

function operatorPortsOf(
  {
    settings,
    folder,
    workers,
    feed,
    keptAnswers,
  }: Pick<GatewaySurroundings, 'settings' | 'folder' | 'workers'> & {
    readonly feed: Feed | undefined
    readonly keptAnswers: KeptAnswers
  },
  { place, viewServers, ...core }: Core,
  baseUrl: string,
): OperationPorts {
  return {
    ...core,
    feed,
    keptAnswers,
    clock: systemClock,
    names: new NameMemory({ texts: core.texts, clock: systemClock }),
    fleet: workers.pool,
    supervised: workers.supervised,
    workerSecret: settings.SVC_WORKER_SECRET,
    information: {
      version: VERSION,
      mode: 'running',
      baseUrl: settings.SVC_PUBLIC_URL ?? baseUrl,
      dataDir: folder.path,
      storeKind: place.kind,
      hasViews: viewServers === undefined,
    },
  }
}

/**
 * Makes the request log. Its lines have a level of their own, because `SVC_REQUEST_LOG` alone says
 * which there are.
 */
function requestLogOf(
  { SVC_REQUEST_LOG: mode, SVC_LOG_LEVEL: level }: Settings,
  refusedRequests: Core['refusedRequests'],
  logger: Logger,
): RequestLog {
  const log = logger.child({}, { level: level === 'silent' ? 'silent' : 'info' })
  return new RequestLog({ mode, refusedRequests, clock: systemClock, log })
}

function healthOf(
  { SVC_READY_STORE_MS, SVC_READY_VIEW_LAG_MS }: Settings,
  { projections, storeHealth, quarantine }: Core,
  logger: Logger,
): LedgerHealth {
  return new LedgerHealth({
    status: () => projections.status(),
    storeHealth,
    quarantine,
    clock: steadyClock,
    bounds: { storeAnswerMs: SVC_READY_STORE_MS, viewLagMs: SVC_READY_VIEW_LAG_MS },
    onChange(details) {
      if (details.length === 0) logger.warn('ready again')
      else logger.warn({ problems: details }, 'not ready: the event log or a view has a problem')
    },
  })
}
