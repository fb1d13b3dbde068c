/** What the gateway is given by the process that it runs in, by what it is about. */
import type { ReachCrashPoint } from '@svc/contracts/crash-points'
import type { AccountSessions } from '@svc/contracts/ports/account-sessions'
import type { EventStore } from '@svc/contracts/ports/event-store'
import type { ExpiringStore } from '@svc/contracts/ports/expiring-store'
import type { RateLimits } from '@svc/contracts/ports/rate-limits'
import type { RequestObserver } from '@svc/contracts/ports/request-observer'
import type { TextSeal } from '@svc/contracts/ports/text-seal'
import type { TextStore } from '@svc/contracts/ports/text-store'
import type { Clock, Timer } from '@svc/contracts/ports/time'
import type { Ledger } from '@svc/ledger/ledger'
import type { EvidenceSources } from '@svc/projections/evidence-export'
import type { Views } from '@svc/projections/views'
import type { FastifyPluginAsync } from 'fastify'
import type { Logger } from 'pino'
import type { CallersOptions } from './admission/callers.ts'
import type { FreezeWatchPorts } from './admission/freeze-watch.ts'
import type { HttpLimits } from './http/limits.ts'
import type { ServedRequests } from './http/served-requests.ts'
import type { ExportTrail } from './routes/account/exports.ts'
import type { OwnViews } from './routes/account/own-views.ts'
import type { RequestListPorts } from './routes/account/requests.ts'
import type { StatementPorts } from './routes/account/statement.ts'
import type { UsagePorts } from './routes/account/usage.ts'
import type { AccountEventPorts } from './routes/dashboard/account-event.ts'
import type { LedgerHealth } from './routes/ledger-health.ts'
import type { PageInformation } from './routes/page.ts'
import type { QuestionPorts } from './routes/view-questions.ts'
import type { WorkerPool } from './routing/worker-pool.ts'
import type { ViewServers } from './views-hop/view-servers.ts'

export interface GatewayDependencies {
  readonly accounts: AccountPorts
  readonly history: HistoryPorts
  readonly inference: InferenceParts
  readonly people: PeopleRoutes
  readonly presence: Presence
  readonly traffic: TrafficBounds
  readonly process: ProcessPorts
}

/** Accounts and their money: what decides about each request. */
interface AccountPorts {
  readonly ledger: Ledger
  /** The news of what other processes do to accounts. Default: there are none. */
  readonly accountNews?: CallersOptions['accountNews']
  /** What `/readyz` reports about the ledger. */
  readonly ledgerHealth?: LedgerHealth | undefined
}

/** What has happened to accounts: the log, and the views of it. Nothing here decides. */
export interface HistoryPorts {
  /** The events of all processes, which the views follow. */
  readonly log: Pick<EventStore, 'lastPosition'>
  readonly views: Pick<Views, 'request'> &
    FreezeWatchPorts['views'] &
    UsagePorts['views'] &
    RequestListPorts['views'] &
    StatementPorts['views'] &
    AccountEventPorts['views']
  /** Waits until a view has the event at a position. Resolves to false when the time is over. */
  readonly viewsReached: OwnViews['viewsReached']
  /** The servers that answer from their views, when this process has none that follow the log. */
  readonly viewsElsewhere?: Pick<ViewServers, 'ask'> | undefined
  /** Lets gateways without views ask this server, by a shared secret. Default: none may. */
  readonly viewsFor?: ({ readonly secret: string } & QuestionPorts) | undefined
  readonly evidence: EvidenceSources
  /** The texts about people that events only refer to, such as the names of keys. */
  readonly texts: Pick<TextStore, 'find'>
  /** Records each export of an account, by key or in the dashboard. */
  readonly exportTrail: ExportTrail
}

/** Answering: who computes, and what is kept of the answers. */
interface InferenceParts {
  readonly workers: WorkerPool
  /** Whether this server answers inference requests. Default: it does. */
  readonly runsModel?: boolean
  /** The weight of an account in the workers' queues, 1 to 100. Default for an account: 1. */
  readonly tenantWeights?: ReadonlyMap<string, number> | undefined
  /** Answers for retries with an `Idempotency-Key`. */
  readonly recordedAnswers: ExpiringStore
  /** Responses that later requests continue. */
  readonly storedResponses: ExpiringStore
  readonly textSeal: TextSeal
  readonly requestObserver?: RequestObserver | undefined
}

/** The routes of people who sign in, and of the operator. Default: there are none. */
interface PeopleRoutes {
  /** The routes that are mounted under `/admin/v1`. They authenticate their callers themselves. */
  readonly admin?: FastifyPluginAsync | undefined
  /** Whether the admin API is on a listener of its own, and not on the public one. */
  readonly isAdminApart?: boolean
  /** The pages that are mounted under `/dashboard`. A browser that asks for `/` is sent there. */
  readonly dashboardPages?: FastifyPluginAsync
  /** The API behind the pages. Default: there is no dashboard. */
  readonly dashboard?: Dashboard | undefined
}

export interface Dashboard {
  /**
   * The routes that are mounted under `/dashboard/api`: what is about people, and the operator's
   * operations.
   */
  readonly routes: FastifyPluginAsync
  readonly sessions: AccountSessions
}

/** What the service says of itself. */
interface Presence {
  /** The time that the model list shows as the model's creation, in seconds since 1970. */
  readonly createdAt: number
  readonly pageInformation: PageInformation
  /** Whether callers without a key see prices. Default: they do. */
  readonly publicPrices?: boolean
  /** The address that clients use, without `/v1`. Default: the one that each request names. */
  readonly publicUrl?: string | undefined
}

/** How much may come in, and from where. */
interface TrafficBounds {
  readonly limits: HttpLimits
  readonly rateLimits: RateLimits
  /** Addresses and networks of proxies whose `X-Forwarded-…` headers are believed; default none. */
  readonly trustedProxies?: readonly string[]
  /** Origins whose pages may call the API from a browser, or `*` for all; default none. */
  readonly corsOrigins?: readonly string[]
  /** Observes every request but the operator's. */
  readonly served?: ServedRequests
}

/** The process: its time, its log lines and where tests end it. */
interface ProcessPorts {
  readonly clock: Clock
  /** A clock that never jumps, the same that the ledger has: it measures how long things take. */
  readonly steadyClock: Clock
  readonly timer: Timer
  readonly logger: Logger
  readonly reach: ReachCrashPoint
}
