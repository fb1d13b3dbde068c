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
  readonly spendPolicy: SpendPolicy
  readonly settled: PicoDollars
  readonly held: PicoDollars
  readonly grantedTotal: PicoDollars
  readonly debitedTotal: PicoDollars
  readonly openRequests: number
  readonly openedAt: number
  readonly lastActivityAt: number
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

export type StatementEntryType = 'grant' | 'usage' | 'expiry'

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

export interface Views {
  /**
   * A request as the events in the log tell it; the view only knows where they are.
   *
   * @throws {BrokenChainError} when one of them was altered
   */
  request(requestId: string): Promise<RequestRow | undefined>
  /** The last request that came with an Idempotency-Key, by the hash of the key. */
  requestOfKey(accountId: string, keyHash: string): Promise<RequestRow | undefined>
  /** Requests without an end, earliest deadline first: where the sweeper looks. */
  runningRequests(limit: number): readonly RunningRequestRow[]
  accounts(page: { after?: string; limit: number }): readonly AccountRow[]
  account(accountId: string): AccountRow | undefined
  statement(query: StatementQuery): Statement
}
