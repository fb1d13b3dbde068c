/**
 * What an operator can ask of a running or stopped service. The CLI speaks to this interface only:
 * over the admin routes of a running server, or on the opened data folder of a stopped one.
 * Amounts and prices travel as exact decimal text in dollars, positions as decimal text.
 */
import type { Receipt } from '../wire/billing.ts'
import type {
  AddedWorker,
  AuditedWorker,
  AuditResult,
  DrainResult,
  RemovedWorker,
  WorkerDetails,
  WorkerLine,
} from './worker-answers.ts'

export interface AccountLine {
  readonly accountId: string
  readonly name: string
  readonly spendPolicy: 'standard' | 'strict'
  readonly settled: string
  readonly held: string
  readonly available: string
  readonly openRequests: number
  readonly openedAt: string
  readonly lastActivityAt: string
}

export interface KeyLine {
  readonly keyId: string
  readonly name: string
  readonly lastFour: string
  readonly status: 'active' | 'expired' | 'revoked'
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly revokedAt: string | null
}

export interface RevokedKey {
  readonly keyId: string
  /** RFC 3339. */
  readonly revokedAt: string
  /** Whether it had been revoked before. */
  readonly alreadyRevoked: boolean
}

export interface GrantLine {
  readonly grantId: string
  readonly amount: string
  readonly remaining: string
  readonly category: 'paid' | 'promotional'
  readonly priority: number
  readonly expiresAt: string | null
  readonly grantedAt: string
}

export interface AccountDetails extends AccountLine {
  readonly keys: readonly KeyLine[]
  readonly grants: readonly GrantLine[]
}

export interface PriceLine {
  readonly version: string
  readonly model: string
  /** The price that a first start published: the bundled model alone is sold at it. */
  readonly demo: boolean
  /** Dollars per million tokens. */
  readonly input: string
  readonly cachedInput: string
  readonly output: string
  readonly effectiveFrom: string
  readonly publishedAt: string
}

export interface StatementLine {
  readonly entry: number
  readonly at: string
  readonly type: 'grant' | 'usage' | 'expiry'
  readonly reference: string
  /** Of the payment behind a grant; null where there is none. */
  readonly paymentReference: string | null
  readonly description: string
  readonly debit: string
  readonly credit: string
  readonly balance: string
  readonly event: { readonly stream: string; readonly revision: number; readonly hash: string }
}

export interface StatementPage {
  readonly accountId: string
  readonly opening: string
  readonly closing: string
  readonly rows: readonly StatementLine[]
  readonly more: boolean
}

export interface EventLine {
  readonly position: string
  readonly stream: string
  readonly revision: number
  readonly type: string
  readonly id: string
  readonly hash: string
  readonly data: unknown
  readonly metadata: unknown
}

export interface EventPage {
  readonly events: readonly EventLine[]
  /** Whether the log was not looked through to its end. */
  readonly more: boolean
  /** Where to go on: the `after` of the next page. Null when there is no more. */
  readonly next: string | null
}

export interface VerifyProgress {
  readonly type: 'progress'
  readonly events: number
  /** Position up to which was read, and the last one of the log when the reading began. */
  readonly position: string
  readonly head: string
  /** Events per second. */
  readonly rate: number
}

export interface VerifyResult {
  readonly type: 'result'
  readonly streams: number
  readonly events: number
  /** Empty when every chain holds. */
  readonly broken: readonly { readonly stream: string; readonly revision: number }[]
  /** How many positions have no event, where every one must have one. */
  readonly missingPositions: string
  /** Who remembers an event that the log does not hold: a view, a snapshot, the noted head. */
  readonly contradicted: readonly {
    readonly source: string
    readonly stream: string
    readonly revision: number
  }[]
  /** Null when none was given. `cut`: the log ends before it; `differs`: it was altered. */
  readonly anchor: 'holds' | 'cut' | 'differs' | null
  /** To be noted down elsewhere: the anchor of a later verification. Null for an empty log. */
  readonly head: string | null
  /** Position up to which was read. */
  readonly position: string
}

export interface ProjectionLine {
  readonly name: string
  readonly version: number
  readonly state: 'catching-up' | 'live' | 'stopped' | 'failed'
  readonly position: string
  readonly head: string
  readonly error: string | null
}

export interface RebuildProgress {
  readonly type: 'progress'
  readonly done: number
  readonly total: number
  /** Events per second. */
  readonly rate: number
}

export interface RebuildResult {
  readonly type: 'result'
  readonly name: string
  readonly events: number
  readonly seconds: number
  /** Rows that differed between the old and the new view. */
  readonly differences: number
}

export interface ServiceStatus {
  readonly version: string
  /** How the answer was found: a running server, or the opened folder of a stopped one. */
  readonly mode: 'running' | 'stopped'
  readonly baseUrl: string | null
  readonly dataDir: string
  readonly store: { readonly kind: string; readonly position: string }
  readonly projections: readonly ProjectionLine[]
  readonly workers: readonly WorkerLine[]
  /** Names of models that are served and have no price: requests for them are refused. */
  readonly unpricedModels: readonly string[]
  readonly accounts: number
  readonly openRequests: number
}

/** Refusals reject with a `ServiceError`; an unknown id is `not_found`. */
export interface Operations {
  status(): Promise<ServiceStatus>
  openAccount(input: {
    name: string
    spendPolicy: 'standard' | 'strict'
  }): Promise<{ accountId: string }>
  listAccounts(page: { after?: string; limit: number }): Promise<readonly AccountLine[]>
  showAccount(accountId: string): Promise<AccountDetails>
  grant(input: {
    accountId: string
    /** Dollars, above zero. */
    amount: string
    category: 'paid' | 'promotional'
    priority: number
    /** RFC 3339, or null: never. */
    expiresAt: string | null
    reference: string | null
    reason: string
  }): Promise<{ grantId: string }>
  createKey(input: {
    accountId: string
    name: string
    expiresAt: string | null
  }): Promise<{ keyId: string; secret: string }>
  listKeys(accountId: string): Promise<readonly KeyLine[]>
  /** A key that was revoked before stays revoked since then, and the answer says so. */
  revokeKey(input: { accountId: string; keyId: string; reason: string }): Promise<RevokedKey>
  publishPrice(input: {
    model: string
    input: string
    cachedInput: string
    output: string
    /** RFC 3339, not before now, or null: now. */
    effectiveFrom: string | null
  }): Promise<PriceLine>
  listPrices(): Promise<readonly PriceLine[]>
  statement(query: {
    accountId: string
    from?: string
    to?: string
    after?: number
    limit: number
  }): Promise<StatementPage>
  explain(requestId: string): Promise<Receipt & { readonly account_id: string }>
  /** @param input the head that an earlier verification gave, or none */
  verify(input: { anchor?: string }): AsyncIterable<VerifyProgress | VerifyResult>
  listProjections(): Promise<readonly ProjectionLine[]>
  rebuildProjection(name: string): AsyncIterable<RebuildProgress | RebuildResult>
  /** The workers need a running server, here and below. */
  listWorkers(): Promise<readonly WorkerDetails[]>
  /** Has a worker end what it runs and take no more requests, or take them again. */
  drainWorker(input: { workerId: string; draining: boolean }): Promise<DrainResult>
  /**
   * Has the server use a worker that runs already, until the server ends.
   *
   * @param input its name, or null for one that is made; `url` as in `SVC_WORKER_URLS`
   */
  addWorker(input: { workerId: string | null; url: string }): Promise<AddedWorker>
  /** Has the server give a worker no more requests, and forget it. The worker is not told. */
  removeWorker(workerId: string): Promise<RemovedWorker>
  /** Every ready worker computes at most so many cached blocks again and compares their bytes. */
  auditCache(input: { sample: number }): AsyncIterable<AuditedWorker | AuditResult>
  listEvents(query: {
    stream?: string
    type?: string
    after?: string
    limit: number
  }): Promise<EventPage>
  /** Events as they come, from behind a position (default: the end), until the signal aborts. */
  tailEvents(
    query: { stream?: string; type?: string; after?: string },
    signal: AbortSignal,
  ): AsyncIterable<EventLine>
}
