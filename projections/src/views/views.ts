/** What the read models can be asked. A view never decides: it is a replica of the log. */

import type {
  CacheEvidence,
  FinishReason,
  GrantSlice,
  Latencies,
  SpendPolicy,
  WireFormat,
} from '@svc/contracts/events/account'
import type { PicoDollars } from '@svc/contracts/money'
import type { Position, RecordedEvent } from '@svc/contracts/ports/event-store'
import type { CostLine, PriceVersion } from '@svc/contracts/price'
import type { TokenCounts } from '@svc/contracts/tokens'
import type { RequestStatus } from '@svc/contracts/wire/billing'

/** Where an event stands in the log, for receipts and audits. */
export type EventReference = Pick<RecordedEvent, 'type' | 'stream' | 'revision' | 'id' | 'hash'>

export interface AccountRow {
  readonly accountId: string
  readonly name: string
  /** In the operator's own system. */
  readonly externalId: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly status: 'open' | 'frozen' | 'closed'
  readonly spendPolicy: SpendPolicy
  readonly settled: PicoDollars
  readonly held: PicoDollars
  readonly grantedTotal: PicoDollars
  readonly debitedTotal: PicoDollars
  readonly openRequests: number
  readonly openedAt: number
  readonly lastActivityAt: number
}

/** Credit that was given, and what is left of it. */
export interface GrantRow {
  readonly grantId: string
  readonly accountId: string
  readonly category: 'paid' | 'promotional'
  /** Lower is spent first. */
  readonly priority: number
  readonly amount: PicoDollars
  readonly remaining: PicoDollars
  readonly expiresAt: number | null
  readonly grantedAt: number
  readonly voidedAt: number | null
}

export type GrantPlace = Pick<GrantRow, 'grantId' | 'expiresAt'>
export type DebitedAccount = Pick<AccountRow, 'accountId' | 'debitedTotal'>

export interface GrantsQuery {
  /** Default: of all accounts. */
  readonly accountId?: string
  /** Only those of which something is left. */
  readonly isOpen: boolean
  /** Only those that expire before this moment, in milliseconds since 1970. */
  readonly endsBefore?: number
  readonly after?: GrantPlace
  readonly limit: number
}

/** The next to expire first, those that never do last. */
export interface GrantsPage {
  readonly rows: readonly GrantRow[]
  /** Where the next page goes on; undefined on the last one. A page can end early. */
  readonly next: GrantPlace | undefined
}

/** What a running request holds of its account's credit. */
export interface HoldRow {
  readonly requestId: string
  readonly accountId: string
  readonly hold: PicoDollars
  readonly since: number
  /** The latest moment at which the request can still be running. */
  readonly deadline: number
}

export interface HoldsQuery {
  readonly accountId?: string
  /** Only those that have held since before this moment, in milliseconds since 1970. */
  readonly before?: number
  readonly after?: Pick<HoldRow, 'since' | 'requestId'>
  readonly limit: number
}

export interface PriceRow extends PriceVersion {
  readonly model: string
  readonly priceList: string
  /** The price that a first start published: for the bundled model alone. */
  readonly isDemo: boolean
  readonly effectiveFrom: number
  readonly publishedAt: number
  /** When it was withdrawn, before it ever took effect; else null. */
  readonly withdrawnAt: number | null
}

export type RunningRequestRow = Pick<
  RequestRow,
  'requestId' | 'accountId' | 'gatewayId' | 'deadline'
>

export interface RequestRow {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly gatewayId: string
  readonly status: RequestStatus
  readonly format: WireFormat
  readonly model: string
  readonly price: PriceVersion
  readonly promptTokens: number
  readonly maxOutputTokens: number
  readonly hold: PicoDollars
  /** Hashes of the Idempotency-Key that it came with, and of its body; null without a key. */
  readonly idempotency: { readonly keyHash: string; readonly bodyHash: string } | null
  /** Null until metered. */
  readonly counts: TokenCounts | null
  readonly reasoningTokens: number
  readonly lines: readonly CostLine[]
  readonly amount: PicoDollars
  readonly slices: readonly GrantSlice[]
  readonly balanceAfter: PicoDollars | null
  /** What was given back of the amount, oldest first. */
  readonly refunds: readonly RefundRow[]
  readonly finishReason: FinishReason | null
  readonly reason: string | null
  readonly deadline: number
  readonly acceptedAt: number
  readonly endedAt: number | null
  readonly latencies: Latencies | null
  /** Why tokens count as cached, and by which worker. Null until metered. */
  readonly cache: (CacheEvidence & { readonly workerId: string }) | null
  readonly events: readonly EventReference[]
}

export interface RefundRow {
  readonly refundId: string
  readonly amount: PicoDollars
  readonly reason: string
  readonly reference: string | null
  readonly at: number
}

export type StatementEntryType =
  | 'grant'
  | 'usage'
  | 'expiry'
  | 'void'
  | 'refund'
  | 'adjustment'
  | 'closing'

export interface StatementRow {
  /** Dense within the account: 1, 2, 3 … */
  readonly entry: number
  readonly accountId: string
  readonly at: number
  readonly type: StatementEntryType
  /** The grant or request that the entry is about. */
  readonly reference: string
  /** The payment behind a grant, as it was named when the credit was granted; null elsewhere. */
  readonly paymentReference: string | null
  readonly description: string
  readonly debit: PicoDollars
  readonly credit: PicoDollars
  /**
   * Settled balance after the entry: a property of the ledger position, the same under any filter.
   */
  readonly balance: PicoDollars
  /** Of usage, like the four below it; null elsewhere. */
  readonly key: { readonly keyId: string; readonly name: string | null } | null
  readonly model: string | null
  readonly format: WireFormat | null
  readonly tokens: TokenCounts | null
  readonly priceVersion: string | null
  /** The amount is made of these three: paid credit, promotional credit, and no credit. */
  readonly paid: PicoDollars
  readonly promotional: PicoDollars
  readonly unpaid: PicoDollars
  /** Who caused it, and why; null for usage. */
  readonly actor: string | null
  readonly reason: string | null
  readonly event: Omit<EventReference, 'id'>
}

export interface StatementQuery {
  readonly accountId: string
  /** Milliseconds since 1970, inclusive / exclusive. */
  readonly from?: number
  readonly to?: number
  /** Entries behind this one. */
  readonly after?: number
  readonly limit: number
}

export interface Statement {
  /** Balance before the first row; opening + sum of rows = closing. */
  readonly opening: PicoDollars
  readonly closing: PicoDollars
  readonly rows: readonly StatementRow[]
  readonly more: boolean
}

export interface RequestsQuery {
  readonly accountId: string
  readonly keyId?: string
  readonly model?: string
  readonly format?: WireFormat
  readonly status?: RequestStatus
  /** When the request came in, in milliseconds since 1970, inclusive / exclusive. */
  readonly from?: number
  readonly to?: number
  /** Older than this request. */
  readonly before?: string
  readonly limit: number
}

/** Both times are on a quarter of an hour. */
export interface RequestTotalsQuery extends Omit<RequestsQuery, 'before' | 'limit'> {}
/** What the requests of a status come to that came in in a period, charged or not. */
export interface RequestTotal extends UsedTokens {
  readonly status: RequestStatus
}

/** Ways to divide usage beside time. */
export type UsageGroup = 'key' | 'model' | 'format'

export interface UsageQuery {
  readonly accountId: string
  /**
   * Where the steps of time begin and the last one ends, in milliseconds since 1970: rising, at
   * least two, each on a quarter of an hour.
   */
  readonly edges: readonly number[]
  readonly groupBy: readonly UsageGroup[]
  readonly keyId?: string
  readonly model?: string
  readonly format?: WireFormat
}

/** Requests that were debited, with their tokens and what these cost. */
export interface UsedTokens extends TokenCounts {
  readonly requests: number
  readonly inputAmount: PicoDollars
  readonly cachedInputAmount: PicoDollars
  readonly outputAmount: PicoDollars
  /** The sum of the three. */
  readonly amount: PicoDollars
}

/** The usage of one group in one step; what it was not divided by is null. */
export interface UsageStep extends UsedTokens {
  /** From the edge of this index to the next one. */
  readonly step: number
  readonly keyId: string | null
  readonly model: string | null
  readonly format: WireFormat | null
}

export interface Usage {
  /** Only those in which something was used, in the order of time. */
  readonly steps: readonly UsageStep[]
  readonly total: UsedTokens
}

export interface KeyUsage extends UsedTokens {
  readonly keyId: string
  readonly accountId: string
  readonly name: string
  readonly lastFour: string
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  /** The actor of its event, such as `user:usr_…`; null where none is told. */
  readonly createdBy: string | null
  /** When the last request of the key was accepted; null when it was never used. */
  readonly lastUsedAt: number | null
}

/**
 * What moved the balance of an account in a period:
 * `opening + payments + promotional − used − expired − refunded + corrected = closing`.
 */
export interface AccountMonth {
  readonly accountId: string
  readonly opening: PicoDollars
  readonly payments: PicoDollars
  readonly promotional: PicoDollars
  readonly used: PicoDollars
  readonly expired: PicoDollars
  /** Money that left as a refund; below zero for debits that were given back as credit. */
  readonly refunded: PicoDollars
  readonly corrected: PicoDollars
  readonly closing: PicoDollars
  /** How many debits are in `used`. */
  readonly requests: number
}

export interface ProjectionStatus {
  readonly name: string
  readonly version: number
  /** Position of the last event in the view. */
  readonly position: Position
  /** Position of the last event in the log. */
  readonly head: Position
  readonly state: 'catching-up' | 'live' | 'stopped' | 'failed'
  /** The error that stopped it, in one line. */
  readonly error: string | null
}

export interface ProjectionDetails extends ProjectionStatus {
  /** Events that are in its rows. */
  readonly events: number
  /** The last one since the start of the process; null: none. */
  readonly rebuild: RebuildState | null
}

/** A rebuild of a view while it runs, and how it ended. */
export interface RebuildState {
  readonly state: 'running' | 'done' | 'failed' | 'cancelled'
  /** Events folded, of those that are folded until the comparison: fixed at the start. */
  readonly done: number
  readonly total: number
  /** Rows in which the old view and the new one differed; null until it is done. */
  readonly differences: number | null
  /** Why it failed, in one line. */
  readonly error: string | null
}

export interface AccountsPage {
  /** An account that the page goes on behind. */
  readonly after?: string
  readonly limit: number
  /** Default: oldest first. */
  readonly isNewestFirst?: boolean
}

/** What accounts are ordered and added up by: all of them are looked at for that. */
export interface AccountStanding
  extends Pick<AccountRow, 'accountId' | 'status' | 'settled' | 'held'>,
    Pick<AccountRow, 'openRequests' | 'lastActivityAt' | 'debitedTotal'> {}

export interface StandingsPage {
  readonly rows: readonly AccountStanding[]
  /** Where the next page begins; undefined when all were looked at. */
  readonly next: number | undefined
}

/** What an account is found by. */
export interface AccountCalled
  extends Pick<AccountRow, 'accountId' | 'name' | 'externalId' | 'status'> {}

export interface Views {
  /**
   * A request as the events in the log tell it; the view only knows where they are.
   *
   * @throws {BrokenChainError} when one of them was altered
   */
  request(requestId: string): Promise<RequestRow | undefined>
  /** Ids of an account's requests, the newest first. */
  requestIds(query: RequestsQuery): readonly string[]
  /** The last request that came with an Idempotency-Key, by the hash of the key. */
  requestOfKey(accountId: string, keyHash: string): Promise<RequestRow | undefined>
  /** Requests without an end, earliest deadline first: where the sweeper looks. */
  runningRequests(limit: number): readonly RunningRequestRow[]
  /** By their age. */
  accounts(page: AccountsPage): readonly AccountRow[]
  account(accountId: string): AccountRow | undefined
  /** In no order of use; `after` is where a page before ended. */
  accountStandings(page: { readonly after?: number; readonly limit: number }): StandingsPage
  /** The oldest first. */
  accountsCalled(page: Omit<AccountsPage, 'isNewestFirst'>): readonly AccountCalled[]
  /**
   * What was debited for requests since a moment, in the order of the accounts.
   *
   * @param fromMs on a quarter of an hour, in milliseconds since 1970
   */
  spentSince(accounts: readonly DebitedAccount[], fromMs: number): readonly PicoDollars[]
  grants(query: GrantsQuery): GrantsPage
  grantOwner(grantId: string): string | undefined
  /** The oldest first. */
  holds(query: HoldsQuery): readonly HoldRow[]
  /** Every version that was ever published, oldest first. */
  prices(): readonly PriceRow[]
  statement(query: StatementQuery): Statement
  /** Of the requests that {@link Views.requestIds} lists, by status: only those that there are. */
  requestTotals(query: RequestTotalsQuery): readonly RequestTotal[]
  usage(query: UsageQuery): Usage
  /** The first quarter of an hour from a moment on in which something was used. */
  nextUse(query: Omit<UsageQuery, 'edges' | 'groupBy'>, fromMs: number): number | undefined
  /** Combinations of key, model and format that an account has used. */
  seriesCount(accountId: string): number
  key(keyId: string): KeyUsage | undefined
  /** All keys of an account, oldest first. */
  keys(accountId: string): readonly KeyUsage[]
}
