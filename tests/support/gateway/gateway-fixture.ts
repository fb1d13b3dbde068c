/** A gateway on loopback in front of a scripted worker, on a ledger that tests can watch. */
import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CrashPoint } from '@svc/contracts/crash-points'
import type { PrefixIndex } from '@svc/contracts/ports/prefix-index'
import type { RequestObserver } from '@svc/contracts/ports/request-observer'
import type { Clock, Timer } from '@svc/contracts/ports/time'
import type { Dashboard, GatewayDependencies } from '@svc/gateway/dependencies'
import { createGateway, type Gateway } from '@svc/gateway/gateway'
import { type HttpLimits, httpLimits } from '@svc/gateway/http/limits'
import type { LedgerHealth } from '@svc/gateway/routes/ledger-health'
import { createWorkerPool, type WorkerPool } from '@svc/gateway/routing/worker-pool'
import { MemoryExpiringStore } from '@svc/infra/expiring-store/memory/memory-expiring-store'
import { MemoryRateLimits } from '@svc/infra/rate-limits/memory-rate-limits'
import { steadyClock } from '@svc/infra/system/steady-clock'
import { systemClock } from '@svc/infra/system/system-clock'
import { systemTimer } from '@svc/infra/system/system-timer'
import { AesTextSeal } from '@svc/infra/text-seal/aes-text-seal'
import type { Ledger } from '@svc/ledger/ledger'
import type { FastifyPluginAsync } from 'fastify'
import { pino } from 'pino'
import { evidenceOn } from '../evidence-sources.ts'
import {
  ScriptedWorker,
  type ScriptedWorkerOptions,
  type WorkerScript,
} from '../scripted-worker/scripted-worker.ts'
import { AnswerChecker } from './answer-checker.ts'
import { GatewayViews } from './gateway-views.ts'
import { openWatchedLedger, type WatchedLedger } from './watched-ledger.ts'

/** A bound against waiting for ever: a busy machine may need some seconds. */
const READY_MS = 40_000
const FROZEN = { status: 'frozen' } as const

export interface GatewayFixture {
  readonly gateway: Gateway
  readonly ledger: WatchedLedger
  /** Makes the gateway forget the answers it has recorded. */
  loseAnswers(): Promise<unknown>
  readonly worker: ScriptedWorker
  readonly workers: readonly ScriptedWorker[]
  readonly pool: WorkerPool
  readonly port: number
  readonly baseUrl: string
  /** Lines that were logged. */
  readonly log: string[]
  readonly reached: CrashPoint[]
  post(body: unknown, headers?: Record<string, string>): Promise<Response>
  get(path: string, headers?: Record<string, string>): Promise<Response>
  [Symbol.asyncDispose](): Promise<void>
}

export interface FixtureOptions {
  readonly script?: Partial<WorkerScript>
  readonly limits?: Partial<HttpLimits>
  /** How many workers; all play the same script at first. */
  readonly workers?: number
  readonly worker?: Partial<ScriptedWorkerOptions>
  /** Instead of workers of its own, those of another gateway, which ends them. */
  readonly workersOf?: GatewayFixture
  /** Where prefixes are; default: unknown. */
  readonly index?: PrefixIndex
  readonly tenantWeights?: ReadonlyMap<string, number>
  readonly ledgerHealth?: LedgerHealth
  /** Whether memory may lack what another process did to an account. */
  readonly accountNews?: { mayBeOld(accountId: string): boolean }
  readonly requestObserver?: RequestObserver
  /** The routes of the operator. */
  readonly admin?: FastifyPluginAsync
  readonly dashboard?: Dashboard
  readonly publicUrl?: string
  readonly publicPrices?: boolean
  readonly trustedProxies?: readonly string[]
  readonly corsOrigins?: readonly string[]
  /** Whether a view has come as far as it is asked for. */
  readonly viewsReached?: () => Promise<boolean>
  /** Whether the view tells that accounts are frozen, whatever they are. */
  readonly isFrozenInView?: boolean
  /** What the time of day is; default: the system's. */
  readonly clock?: Clock
  /** Of the gateway, and not of its pool of workers; default: the system's. */
  readonly timer?: Timer
  /** From which level on lines are logged. */
  readonly logLevel?: 'trace' | 'warn'
  /** Instead of the ledger that is watched, with a key of it; whoever opened it closes it. */
  readonly real?: { readonly ledger: Ledger; readonly secret: string }
}

async function startWorkers(options: FixtureOptions): Promise<readonly ScriptedWorker[]> {
  const workers = Array.from({ length: options.workers ?? 1 }, (_, index) => {
    const socketPath = join(tmpdir(), `svc-gateway-${randomUUID()}.sock`)
    const script = options.script === undefined ? {} : { script: options.script }
    const workerId = `wrk_${index}`
    return new ScriptedWorker({ socketPath, workerId, ...script, ...options.worker })
  })
  for (const worker of workers) await worker.listen()
  return workers
}

function poolOf(workers: readonly ScriptedWorker[], { index }: FixtureOptions): WorkerPool {
  return createWorkerPool({
    timer: systemTimer,
    workers: workers.map(({ socketPath: path }, number) => ({
      workerId: `wrk_${number}`,
      address: { kind: 'unix', path },
    })),
    index,
  })
}

export async function startGateway(options: FixtureOptions = {}): Promise<GatewayFixture> {
  const { clock = systemClock, timer = systemTimer } = options
  const ledger = await openWatchedLedger()
  const views = new GatewayViews(ledger.store)
  const recordedAnswers = new MemoryExpiringStore()
  const log: string[] = []
  const reached: CrashPoint[] = []
  const workers = options.workersOf?.workers ?? (await startWorkers(options))
  const [worker] = workers
  if (worker === undefined) throw new Error('a gateway needs a worker')
  const pool = poolOf(workers, options)
  const gateway = createGateway({
    accounts: {
      ledger: options.real?.ledger ?? ledger.ledger,
      accountNews: options.accountNews,
      ledgerHealth: options.ledgerHealth,
    },
    history: historyOf(ledger, views, options),
    inference: {
      workers: pool,
      tenantWeights: options.tenantWeights,
      recordedAnswers,
      storedResponses: new MemoryExpiringStore(),
      textSeal: new AesTextSeal('the secret of the test'),
      requestObserver: options.requestObserver,
    },
    people: { admin: options.admin, dashboard: options.dashboard },
    presence: presenceOf(options),
    traffic: {
      // Tests refuse faster than any client has reason to ask.
      limits: httpLimits({ refusalPauseMs: 0, ...options.limits }),
      rateLimits: new MemoryRateLimits(),
      trustedProxies: options.trustedProxies ?? [],
      corsOrigins: options.corsOrigins ?? [],
    },
    process: {
      clock,
      steadyClock,
      timer,
      logger: loggerTo(log, options.logLevel),
      reach: (point) => void reached.push(point),
    },
  })
  const { port } = await gateway.listen({ host: '127.0.0.1', port: 0 })
  if (!(await pool.whenReady(READY_MS))) throw new Error('no scripted worker became ready')
  const baseUrl = `http://127.0.0.1:${port}`
  const answers = new AnswerChecker(port)
  return {
    gateway,
    ledger,
    worker,
    workers,
    pool,
    port,
    baseUrl,
    log,
    reached,
    ...callsOf(baseUrl, `Bearer ${options.real?.secret ?? ledger.secret}`),
    loseAnswers: () => recordedAnswers.removeExpired(Infinity, Infinity),
    [Symbol.asyncDispose]: async () => {
      await gateway.close({ graceMs: 0 })
      await pool.close()
      if (options.workersOf === undefined) await Promise.all(workers.map((each) => each.close()))
      await ledger.ledger.close()
      await views[Symbol.asyncDispose]()
      answers.close()
      if (answers.violations.length > 0) throw new Error(answers.violations.join('\n'))
    },
  }
}

function historyOf(
  { store: log, texts }: WatchedLedger,
  { views, reached, evidence }: GatewayViews,
  { isFrozenInView, viewsReached = reached }: FixtureOptions,
): GatewayDependencies['history'] {
  return {
    log,
    views: isFrozenInView ? { ...views, account: () => FROZEN } : views,
    viewsReached,
    evidence: evidenceOn(log, evidence, reached),
    texts,
    exportTrail: { record: async () => {} },
  }
}

function presenceOf({ publicUrl, publicPrices = true }: FixtureOptions) {
  const pageInformation = { version: '0.0.0', links: [{ title: 'Docs', href: 'docs' }] }
  return { createdAt: 1_700_000_000, pageInformation, publicUrl, publicPrices }
}

function loggerTo(lines: string[], level: FixtureOptions['logLevel'] = 'warn') {
  return pino({ level }, { write: (line: string) => lines.push(line) })
}

function callsOf(baseUrl: string, authorization: string): Pick<GatewayFixture, 'post' | 'get'> {
  return {
    post: (body, headers = {}) =>
      fetch(`${baseUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization, ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    get: (path, headers = {}) =>
      fetch(`${baseUrl}${path}`, { headers: { authorization, ...headers } }),
  }
}

/** A request that is well-formed; the fields replace its own. */
export function chatBody(fields: object = {}): Record<string, unknown> {
  return { model: 'svc-beta', messages: [{ role: 'user', content: 'hello there' }], ...fields }
}
