/**
 * The HTTP interface of the service. This file puts it together of what `dependencies.ts` names;
 * `request/life.ts` leads through the life of a request.
 */
import type { AddressInfo } from 'node:net'
import { ADMIN_PREFIX } from '@svc/contracts/admin/declaration'
import { DASHBOARD_PREFIX } from '@svc/contracts/dashboard/declaration'
import { withTextsShown } from '@svc/contracts/ports/shown-texts'
import { pause } from '@svc/contracts/ports/time'
import { CountedWarnings } from '@svc/infra/system/counted-warnings'
import { threadMs } from '@svc/infra/system/thread-time'
import { RecentTenants } from '@svc/infra/turns/recent-tenants'
import { ThreadTurns } from '@svc/infra/turns/thread-turns'
import type { FastifyPluginAsync } from 'fastify'
import { Admission } from './admission/admission.ts'
import { CallerRates } from './admission/caller-rates.ts'
import { Callers } from './admission/callers.ts'
import { Entrance } from './admission/entrance.ts'
import { FreezeWatch, type FreezeWatchPorts } from './admission/freeze-watch.ts'
import { Places } from './admission/places.ts'
import { PreparationTurns } from './admission/preparation-turns.ts'
import { Reads } from './admission/reads.ts'
import type { GatewayDependencies, HistoryPorts } from './dependencies.ts'
import { rootUrlBy } from './http/base-address.ts'
import { CrossOrigin } from './http/cross-origin.ts'
import { placesAlone } from './http/limits.ts'
import { mounted } from './http/mounted.ts'
import { RefusalPauses } from './http/pacing/refusal-pauses.ts'
import { RefusedBodies } from './http/pacing/refused-bodies.ts'
import { noteServed } from './http/served-requests.ts'
import { createHttpServer, type HttpServer } from './http/server.ts'
import { Idempotency } from './request/idempotency.ts'
import { evidenceRoutes } from './routes/account/evidence.ts'
import { type ExportPorts, exportRoutes } from './routes/account/exports.ts'
import { type RequestListPorts, requestRoutes } from './routes/account/requests.ts'
import { statementRoutes } from './routes/account/statement.ts'
import { keyRoute, type UsagePorts, usageRoutes } from './routes/account/usage.ts'
import { balanceRoute, receiptRoute } from './routes/billing.ts'
import { countTokensRoute } from './routes/count-tokens.ts'
import { dashboardAccountRoutes } from './routes/dashboard/account-routes.ts'
import { healthRoutes, readinessProblems } from './routes/health.ts'
import { inferenceRoutes } from './routes/inference.ts'
import { modelRoutes } from './routes/models.ts'
import { pageRoute } from './routes/page.ts'
import { priceRoutes } from './routes/prices.ts'
import { referenceRoutes } from './routes/reference.ts'
import { responsesRoutes } from './routes/responses.ts'
import { type TreePorts, treeRoutes } from './routes/tree.ts'
import { viewQuestionRoutes } from './routes/view-questions.ts'
import { ForwardedCallers } from './views-hop/forwarded-callers.ts'
import { forwardedTo } from './views-hop/forwarded-questions.ts'

/** Stands in for views that another server has: then the gateway learns of a freeze by the log. */
const NO_VIEWS: FreezeWatchPorts['views'] = { account: () => undefined }
/** How long stopped requests may take to be settled, after the wait for their last meters. */
const SETTLING_MS = 10_000

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
  ports: Pick<HistoryPorts, 'viewsElsewhere'> &
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
  /** Whether requests can be taken, as `/readyz` says. */
  isReady(): Promise<boolean>
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

/** What the gateway makes of its dependencies, for its routes. */
interface RouteParts {
  readonly callers: Callers
  readonly reads: Reads
  readonly rates: CallerRates
  readonly forwarded: ForwardedCallers | undefined
  readonly warnings: CountedWarnings
  readonly idempotency: Idempotency
  readonly preparations: PreparationTurns
  readonly bodyTurns: ThreadTurns
  readonly admission: Admission
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
    const { accounts, history, inference, people, presence, traffic, process } = dependencies
    const { ledger } = accounts
    const { viewsFor, viewsReached } = history
    const { tenantWeights: weights } = inference
    const { limits, trustedProxies = [], corsOrigins = [] } = traffic
    const { logger, timer, steadyClock } = process
    this.#dependencies = dependencies
    // All that measures how long things take has the clock that never jumps.
    const times = { limits, timer, clock: steadyClock }
    const nowMs = () => performance.now()
    const recent = new RecentTenants(nowMs)
    const places = new Places({
      bounds: limits,
      timer,
      clock: steadyClock,
      weights,
      alone: { bounds: placesAlone(limits), recent },
    })
    this.#places = places
    const views = history.viewsElsewhere === undefined ? history.views : NO_VIEWS
    this.#freezeWatch = new FreezeWatch({ ledger, views, places, timer, logger })
    const warnings = new CountedWarnings({ logger, timer })
    const listener = {
      ...times,
      warnings,
      trustedProxies,
      crossOrigin: new CrossOrigin(corsOrigins),
      logger,
      rootUrl: rootUrlBy(presence.publicUrl),
      refusalPauses: new RefusalPauses(times),
      refusedBodies: new RefusedBodies(times),
      newRequestId: () => ledger.newRequestId(),
      isDraining: () => this.#draining,
    }
    this.#server = createHttpServer(listener)
    this.#adminServer = people.isAdminApart ? createHttpServer(listener) : undefined
    const rates = new CallerRates(traffic)
    const forwarded =
      viewsFor && new ForwardedCallers({ viewsSecret: viewsFor.secret, viewsReached })
    const callers = new Callers({ ...accounts, ...traffic, rates, forwarded })
    this.#reads = new Reads({ callers, ...times })
    const entrance = new Entrance({ ...times, ledger, places })
    this.#addRoutes({
      callers,
      rates,
      forwarded,
      warnings,
      reads: this.#reads,
      idempotency: new Idempotency({ ...process, ledger, ...inference }),
      preparations: new PreparationTurns({ ...times, weights, recent }),
      bodyTurns: new ThreadTurns(recent, nowMs, timer, threadMs),
      admission: new Admission({ entrance, limits, timer }),
    })
  }

  #addRoutes({ admission, reads, rates, forwarded, ...parts }: RouteParts): void {
    const { accounts, history, inference, people, presence, traffic, process } = this.#dependencies
    const { app } = this.#server
    const { ledger, ledgerHealth } = accounts
    const { workers, runsModel = true } = inference
    const { admin, dashboard, dashboardPages } = people
    const { publicUrl, publicPrices, pageInformation, createdAt } = presence
    const { served, limits } = traffic
    const answering = { ...inference, ...process, ...parts, ledger, limits }
    const own = { ...history, ...process, ledger, reads, limits, pace: history.evidence.pace }
    const rootUrl = rootUrlBy(publicUrl)
    if (served !== undefined) app.addHook('onRequest', noteServed(served))
    if (runsModel) {
      app.register(inferenceRoutes(answering, admission))
      app.register(responsesRoutes({ ...answering, reads }, admission))
      app.register(countTokensRoute(answering, admission))
    }
    app.register(modelRoutes({ ledger, workers, reads, createdAt }))
    app.register(priceRoutes({ ledger, workers, reads, publicPrices }), { prefix: '/v1' })
    app.register(balanceRoute({ ledger, reads }), { prefix: '/v1' })
    app.register(viewRoutes(own))
    if (forwarded !== undefined && history.viewsFor) {
      app.register(viewQuestionRoutes(history.viewsFor, forwarded))
    }
    const isDraining = () => this.#isLeaving
    const problems = () => this.#problems()
    app.register(healthRoutes({ problems, ledgerHealth, isDraining }))
    const hasDashboard = dashboardPages !== undefined
    const page = { ledger, workers, pageInformation, publicPrices, hasDashboard }
    app.register(pageRoute(page, rootUrl))
    if (dashboardPages !== undefined) app.register(dashboardPages, { prefix: '/dashboard' })
    app.register(referenceRoutes({ version: pageInformation.version, publicUrl }, rootUrl))
    if (dashboard !== undefined) {
      const { sessions, routes } = dashboard
      const members = { ...own, ...answering, sessions, rates, publicPrices }
      app.register(dashboardAccountRoutes(members, admission))
      app.register(mounted(routes), { prefix: DASHBOARD_PREFIX })
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

  async isReady(): Promise<boolean> {
    return !this.#isLeaving && (await this.#problems()).length === 0
  }

  #problems(): Promise<readonly string[]> {
    const { accounts, inference } = this.#dependencies
    const { workers, runsModel = true } = inference
    return readinessProblems({ workers, runsModel, ledgerHealth: accounts.ledgerHealth })
  }

  async close({ graceMs, noticeMs = 0 }: Parameters<Gateway['close']>[0]): Promise<void> {
    const { limits } = this.#dependencies.traffic
    const { reach, logger, timer } = this.#dependencies.process
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
