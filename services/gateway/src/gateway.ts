/**
 * The HTTP interface of the service. This file puts it together; `request/life.ts` leads through
 * the life of a request.
 */
import type { AddressInfo } from 'node:net'
import { ADMIN_PREFIX } from '@svc/contracts/admin/declaration'
import type { ReachCrashPoint } from '@svc/contracts/crash-points'
import { DASHBOARD_PREFIX } from '@svc/contracts/dashboard/declaration'
import type { AccountSessions } from '@svc/contracts/ports/account-sessions'
import type { EventStore } from '@svc/contracts/ports/event-store'
import type { ExpiringStore } from '@svc/contracts/ports/expiring-store'
import type { RateLimits } from '@svc/contracts/ports/rate-limits'
import type { RequestObserver } from '@svc/contracts/ports/request-observer'
import { withTextsShown } from '@svc/contracts/ports/shown-texts'
import type { TextSeal } from '@svc/contracts/ports/text-seal'
import type { TextStore } from '@svc/contracts/ports/text-store'
import { type Clock, pause, type Timer } from '@svc/contracts/ports/time'
import { CountedWarnings } from '@svc/infra/system/counted-warnings'
import { threadMs } from '@svc/infra/system/thread-time'
import { RecentTenants } from '@svc/infra/turns/recent-tenants'
import { ThreadTurns } from '@svc/infra/turns/thread-turns'
import type { Ledger } from '@svc/ledger/ledger'
import type { EvidenceSources } from '@svc/projections/evidence-export'
import type { Views } from '@svc/projections/views'
import type { FastifyPluginAsync } from 'fastify'
import type { Logger } from 'pino'
import { Admission } from './admission/admission.ts'
import { CallerRates } from './admission/caller-rates.ts'
import { Callers, type CallersOptions } from './admission/callers.ts'
import { Entrance } from './admission/entrance.ts'
import { FreezeWatch, type FreezeWatchPorts } from './admission/freeze-watch.ts'
import { Places } from './admission/places.ts'
import { PreparationTurns } from './admission/preparation-turns.ts'
import { Reads } from './admission/reads.ts'
import { rootUrlBy } from './http/base-address.ts'
import { type HttpLimits, placesAlone } from './http/limits.ts'
import { mounted } from './http/mounted.ts'
import { RefusalPauses } from './http/pacing/refusal-pauses.ts'
import { RefusedBodies } from './http/pacing/refused-bodies.ts'
import { noteServed, type ServedRequests } from './http/served-requests.ts'
import { createHttpServer, type HttpServer } from './http/server.ts'
import { Idempotency } from './request/idempotency.ts'
import { type RequestLedger, requestLedgerOn } from './request/request-ledger.ts'
import { evidenceRoutes } from './routes/account/evidence.ts'
import { type ExportPorts, type ExportTrail, exportRoutes } from './routes/account/exports.ts'
import type { OwnViews } from './routes/account/own-views.ts'
import { type RequestListPorts, requestRoutes } from './routes/account/requests.ts'
import { type StatementPorts, statementRoutes } from './routes/account/statement.ts'
import { keyRoute, type UsagePorts, usageRoutes } from './routes/account/usage.ts'
import { balanceRoute, receiptRoute } from './routes/billing.ts'
import { countTokensRoute } from './routes/count-tokens.ts'
import type { AccountEventPorts } from './routes/dashboard/account-event.ts'
import { dashboardAccountRoutes } from './routes/dashboard/account-routes.ts'
import { healthRoutes } from './routes/health.ts'
import { inferenceRoutes } from './routes/inference.ts'
import type { LedgerHealth } from './routes/ledger-health.ts'
import { modelRoutes } from './routes/models.ts'
import { type PageInformation, pageRoute } from './routes/page.ts'
import { priceRoutes } from './routes/prices.ts'
import { referenceRoutes } from './routes/reference.ts'
import { responsesRoutes } from './routes/responses.ts'
import { type TreePorts, treeRoutes } from './routes/tree.ts'
import { type QuestionPorts, viewQuestionRoutes } from './routes/view-questions.ts'
import type { WorkerPool } from './routing/worker-pool.ts'
import { forwardedTo } from './views-hop/forwarded-questions.ts'
import { ToldCallers } from './views-hop/told-callers.ts'
import type { ViewServers } from './views-hop/view-servers.ts'

/** Stands in for views that another server has: then the gateway learns of a freeze by the log. */
const NO_VIEWS: FreezeWatchPorts['views'] = { account: () => undefined }
/** How long stopped requests may take to be settled, after the wait for their last meters. */
const SETTLING_MS = 10_000

export interface GatewayDependencies {
  readonly ledger: Ledger
  /** The news of what other processes do to accounts. Default: there are none. */
  readonly accountNews?: CallersOptions['accountNews']
  readonly views: Pick<Views, 'request'> &
    FreezeWatchPorts['views'] &
    UsagePorts['views'] &
    RequestListPorts['views'] &
    StatementPorts['views'] &
    AccountEventPorts['views']
  readonly evidence: EvidenceSources
  /** The servers that answer from their views, when this process has none that follow the log. */
  readonly viewsElsewhere?: Pick<ViewServers, 'ask'> | undefined
  /** Lets gateways without views ask this server, by a shared secret. Default: none may. */
  readonly viewsFor?: ({ readonly secret: string } & QuestionPorts) | undefined
  /** Waits until a view has the event at a position. Resolves to false when the time is over. */
  readonly viewsReached: OwnViews['viewsReached']
  /** The events of all processes, which the views follow. */
  readonly log: Pick<EventStore, 'lastPosition'>
  readonly workers: WorkerPool
  /** Whether this server answers inference requests. Default: it does. */
  readonly runsModel?: boolean
  /** The weight of an account in the workers' queues, 1 to 100. Default for an account: 1. */
  readonly tenantWeights?: ReadonlyMap<string, number> | undefined
  readonly requestObserver?: RequestObserver | undefined
  /** Observes every request but the operator's. */
  readonly served?: ServedRequests
  /** What `/readyz` reports about the ledger. */
  readonly ledgerHealth?: LedgerHealth | undefined
  /** Answers for retries with an `Idempotency-Key`. */
  readonly recordedAnswers: ExpiringStore
  /** Responses that later requests continue. */
  readonly storedResponses: ExpiringStore
  readonly textSeal: TextSeal
  /** The texts about people that events only refer to, such as the names of keys. */
  readonly texts: Pick<TextStore, 'find'>
  /** The routes that are mounted under `/admin/v1`. They authenticate their callers themselves. */
  readonly admin?: FastifyPluginAsync | undefined
  /** The pages that are mounted under `/dashboard`. A browser that asks for `/` is sent there. */
  readonly dashboardPages?: FastifyPluginAsync
  /** The API behind the pages. Default: there is no dashboard. */
  readonly dashboard?: Dashboard | undefined
  /** Records each export of an account, by key or in the dashboard. */
  readonly exportTrail: ExportTrail
  /** Whether the admin API is on a listener of its own, and not on the public one. */
  readonly isAdminApart?: boolean
  readonly clock: Clock
  /** A clock that never jumps, the same that the ledger has: it measures how long things take. */
  readonly steadyClock: Clock
  readonly timer: Timer
  readonly reach: ReachCrashPoint
  readonly limits: HttpLimits
  readonly rateLimits: RateLimits
  readonly logger: Logger
  /** The time that the model list shows as the model's creation, in seconds since 1970. */
  readonly createdAt: number
  readonly pageInformation: PageInformation
  /** Whether callers without a key see prices. Default: they do. */
  readonly publicPrices?: boolean
  /** The address that clients use, without `/v1`. Default: the one that each request names. */
  readonly publicUrl?: string | undefined
  /** Addresses and networks of proxies whose `X-Forwarded-…` headers are believed; default none. */
  readonly trustedProxies?: readonly string[]
}

export interface Dashboard {
  /**
   * The routes that are mounted under `/dashboard/api`: what is about people, and the operator's
   * operations.
   */
  readonly routes: FastifyPluginAsync
  readonly sessions: AccountSessions
}

/** Routes that show an account itself. Texts about people are put in where events refer to them. */
function ownAffairs(
  ports: Parameters<typeof receiptRoute>[0] & UsagePorts & RequestListPorts & ExportPorts,
): FastifyPluginAsync {
  return async (app) => {
    app.addHook('preSerialization', (_request, _reply, answer) =>
      withTextsShown(ports.texts, answer),
    )
    app.register(receiptRoute(ports))
    app.register(usageRoutes(ports))
    app.register(keyRoute(ports))
    app.register(requestRoutes(ports))
    app.register(statementRoutes(ports))
    app.register(exportRoutes(ports))
  }
}

/** Routes that the views answer, here or on a server that has them. */
function viewRoutes(
  ports: Pick<GatewayDependencies, 'viewsElsewhere' | 'ledger'> &
    Parameters<typeof ownAffairs>[0] &
    Parameters<typeof evidenceRoutes>[0] &
    TreePorts,
): FastifyPluginAsync {
  const { viewsElsewhere, ledger } = ports
  return async (app) => {
    if (viewsElsewhere !== undefined) app.addHook('preHandler', forwardedTo(viewsElsewhere, ledger))
    app.register(ownAffairs(ports), { prefix: '/v1' })
    app.register(evidenceRoutes(ports))
    app.register(treeRoutes(ports))
  }
}

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

export interface Gateway {
  /** Begins to answer requests. @returns the address with the real port in the place of port 0 */
  listen(at: ListenAddress): Promise<ListenAddress>
  /** Does so for the admin API, when it has a listener of its own. */
  listenAdmin(at: ListenAddress): Promise<ListenAddress>
  /**
   * Stops in three steps, and resolves when nothing runs any more:
   *
   *   1. for `noticeMs` (default 0), `/readyz` fails and requests are still served, so that load
   *      balancers send them elsewhere;
   *   2. for `graceMs`, new requests are refused and the running ones may finish;
   *   3. the rest is stopped, and each is charged for the tokens that were computed.
   */
  close(options: { graceMs: number; noticeMs?: number }): Promise<void>
}

export function createGateway(dependencies: GatewayDependencies): Gateway {
  return new HttpGateway(dependencies)
}

/** What the routes need: the gateway's dependencies, and the parts that it has made of them. */
interface RoutePorts extends GatewayDependencies {
  readonly pace: EvidenceSources['pace']
  readonly idempotency: Idempotency
  readonly preparations: PreparationTurns
  readonly requestLedger: RequestLedger
  readonly bodyTurns: ThreadTurns
  readonly callers: Callers
  readonly reads: Reads
  readonly rates: CallerRates
  readonly told: ToldCallers | undefined
  readonly warnings: CountedWarnings
}

class HttpGateway implements Gateway {
  readonly #dependencies: GatewayDependencies
  readonly #places: Places
  readonly #reads: Reads
  readonly #freezeWatch: FreezeWatch
  readonly #server: HttpServer
  /** The server of the admin API, where it has a listener of its own. */
  readonly #adminServer: HttpServer | undefined
  #draining = false
  /** Whether it will drain soon: `/readyz` says so before requests are refused. */
  #isLeaving = false

  constructor(dependencies: GatewayDependencies) {
    const { ledger, limits, logger, timer, steadyClock, tenantWeights: weights } = dependencies
    const { publicUrl, trustedProxies = [], viewsFor, viewsReached } = dependencies
    this.#dependencies = dependencies
    // All that measures how long things take has the clock that never jumps.
    const times = { limits, timer, clock: steadyClock }
    const nowMs = () => performance.now()
    const recent = new RecentTenants(nowMs)
    this.#places = new Places({
      bounds: limits,
      timer,
      clock: steadyClock,
      weights,
      alone: { bounds: placesAlone(limits), recent },
    })
    const views = dependencies.viewsElsewhere === undefined ? dependencies.views : NO_VIEWS
    this.#freezeWatch = new FreezeWatch({ ...dependencies, views, places: this.#places })
    const warnings = new CountedWarnings({ logger, timer })
    const listener = {
      ...times,
      warnings,
      trustedProxies,
      logger,
      rootUrl: rootUrlBy(publicUrl),
      refusalPauses: new RefusalPauses(times),
      refusedBodies: new RefusedBodies(times),
      newRequestId: () => ledger.newRequestId(),
      isDraining: () => this.#draining,
    }
    this.#server = createHttpServer(listener)
    this.#adminServer = dependencies.isAdminApart ? createHttpServer(listener) : undefined
    const rates = new CallerRates(dependencies)
    const told = viewsFor && new ToldCallers({ viewsSecret: viewsFor.secret, viewsReached })
    const callers = new Callers({ ...dependencies, rates, told })
    this.#reads = new Reads({ callers, ...times })
    const ports: RoutePorts = {
      ...dependencies,
      callers,
      rates,
      told,
      warnings,
      reads: this.#reads,
      pace: dependencies.evidence.pace,
      idempotency: new Idempotency(dependencies),
      preparations: new PreparationTurns({ ...times, weights, recent }),
      requestLedger: requestLedgerOn({ ...dependencies, warnings }),
      bodyTurns: new ThreadTurns(recent, nowMs, timer, threadMs),
    }
    const entrance = new Entrance({ ...times, ledger, places: this.#places })
    this.#addRoutes(ports, new Admission({ ...ports, entrance }))
  }

  #addRoutes(ports: RoutePorts, admission: Admission): void {
    const { runsModel = true, served, publicUrl, viewsFor, told, dashboardPages } = ports
    const { app } = this.#server
    const rootUrl = rootUrlBy(publicUrl)
    if (served !== undefined) app.addHook('onRequest', noteServed(served))
    if (runsModel) {
      app.register(inferenceRoutes(ports, admission))
      app.register(responsesRoutes(ports, admission))
      app.register(countTokensRoute(ports, admission))
    }
    app.register(modelRoutes(ports))
    app.register(priceRoutes(ports), { prefix: '/v1' })
    app.register(balanceRoute(ports), { prefix: '/v1' })
    app.register(viewRoutes(ports))
    if (told !== undefined && viewsFor) app.register(viewQuestionRoutes(viewsFor, told))
    app.register(healthRoutes({ ...ports, isDraining: () => this.#isLeaving }))
    app.register(pageRoute({ ...ports, hasDashboard: dashboardPages !== undefined }, rootUrl))
    if (dashboardPages !== undefined) app.register(dashboardPages, { prefix: '/dashboard' })
    const { version } = ports.pageInformation
    app.register(referenceRoutes({ version, publicUrl }, rootUrl))
    const { dashboard, admin } = ports
    if (dashboard !== undefined) {
      app.register(dashboardAccountRoutes({ ...ports, ...dashboard }, admission))
      app.register(mounted(dashboard.routes), { prefix: DASHBOARD_PREFIX })
    }
    const adminApp = this.#adminServer?.app ?? app
    if (admin !== undefined) adminApp.register(mounted(admin), { prefix: ADMIN_PREFIX })
  }

  listen(at: ListenAddress): Promise<ListenAddress> {
    this.#freezeWatch.start()
    return listenOn(this.#server, at)
  }

  async listenAdmin(at: ListenAddress): Promise<ListenAddress> {
    if (this.#adminServer === undefined) throw new Error('the admin API has no listener of its own')
    return listenOn(this.#adminServer, at)
  }

  async close({ graceMs, noticeMs = 0 }: Parameters<Gateway['close']>[0]): Promise<void> {
    const { limits, reach, logger, timer } = this.#dependencies
    this.#isLeaving = true
    if (noticeMs > 0) await pause(timer, noticeMs)
    this.#draining = true
    this.#server.stopListening()
    this.#adminServer?.stopListening()
    this.#places.turnAway()
    this.#reads.turnAway()
    reach('shutdown.draining')
    if (!(await this.#places.idle(graceMs))) {
      logger.warn({ running: this.#places.count }, 'grace period over, stopping running requests')
      this.#places.stopAll()
      if (!(await this.#places.idle(limits.cancelWaitMs + SETTLING_MS))) {
        logger.error({ running: this.#places.count }, 'requests still running after the stop')
      }
    }
    this.#freezeWatch.stop()
    await Promise.all([this.#server.close(), this.#adminServer?.close()])
  }
}

/**
 * The most connections that the operating system keeps until they are accepted, unless its own
 * limit is lower. With Node's default of 511, a burst from one address made the system drop the
 * first packets of other clients, who send them again only after one, two and four seconds.
 */
const WAITING_CONNECTIONS_MAX = 4_096

async function listenOn({ app }: HttpServer, at: ListenAddress): Promise<ListenAddress> {
  await app.listen({ ...at, backlog: WAITING_CONNECTIONS_MAX })
  const { address, port } = app.server.address() as AddressInfo
  return { host: address, port }
}
