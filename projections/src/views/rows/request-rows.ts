/** What is asked about requests, and what is answered. */
import type {
  CacheEvidence,
  FinishReason,
  GrantSlice,
  Latencies,
  WireFormat,
} from '@svc/contracts/events/account'
import type { PicoDollars } from '@svc/contracts/money'
import type { RecordedEvent } from '@svc/contracts/ports/event-store'
import type { CostLine, PriceVersion } from '@svc/contracts/price'
import type { TokenCounts } from '@svc/contracts/tokens'
import type { RequestStatus } from '@svc/contracts/wire/billing'
import type { UsedTokens } from './usage-rows.ts'

/** Where an event stands in the log, for receipts and audits. */
export type EventReference = Pick<RecordedEvent, 'type' | 'stream' | 'revision' | 'id' | 'hash'>

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
  /** The counts of tokens; null until metered. */
  readonly counts: TokenCounts | null
  readonly reasoningTokens: number
  readonly lines: readonly CostLine[]
  readonly amount: PicoDollars
  readonly slices: readonly GrantSlice[]
  readonly balanceAfter: PicoDollars | null
  /** The refunds of the amount, the oldest first. */
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

export type RunningRequestRow = Pick<
  RequestRow,
  'requestId' | 'accountId' | 'gatewayId' | 'deadline'
>

export interface RunningQuery {
  /** Where the page before ended. Default: the first page. */
  readonly after?: RunningPlace | undefined
  readonly limit: number
}

export type RunningPlace = Pick<RunningRequestRow, 'deadline' | 'requestId'>

export interface RunningPage {
  readonly rows: readonly RunningRequestRow[]
  /** Where the next page goes on; undefined on the last one. */
  readonly next: RunningPlace | undefined
}

export interface RequestsQuery {
  readonly accountId: string
  readonly keyId?: string | undefined
  readonly model?: string | undefined
  readonly format?: WireFormat | undefined
  readonly status?: RequestStatus | undefined
  /** When the request came in, in milliseconds since 1970, inclusive / exclusive. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** Lists only requests that are older than this one. */
  readonly before?: string | undefined
  readonly limit: number
}

/** A question for the totals of every status. Both times are on a quarter of an hour. */
export interface RequestTotalsQuery extends Omit<RequestsQuery, 'before' | 'limit' | 'status'> {}

/** What the requests of a status come to that came in in a period, charged or not. */
export interface RequestTotal extends UsedTokens {
  readonly status: RequestStatus
}
