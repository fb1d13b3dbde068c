/** What is asked about the statement of an account, and what is answered. */
import type { WireFormat } from '@svc/contracts/events/account'
import type { PicoDollars } from '@svc/contracts/money'
import type { TokenCounts } from '@svc/contracts/tokens'
import type { StatementOrder } from '@svc/contracts/wire/statement'
import type { EventReference } from './request-rows.ts'

export type StatementEntryType =
  | 'grant'
  | 'usage'
  | 'expiry'
  | 'void'
  | 'refund'
  | 'adjustment'
  | 'closing'

export interface StatementRow {
  /** The number of the entry, dense within the account: 1, 2, 3 … */
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
  /** The key of usage; like the four fields below it, null for other entries. */
  readonly key: { readonly keyId: string; readonly name: string | null } | null
  readonly model: string | null
  readonly format: WireFormat | null
  readonly tokens: TokenCounts | null
  readonly priceVersion: string | null
  /** The amount is made of these three: paid credit, promotional credit, and no credit. */
  readonly paid: PicoDollars
  readonly promotional: PicoDollars
  readonly unpaid: PicoDollars
  /** Who caused the entry, and why; null for usage. */
  readonly actor: string | null
  readonly reason: string | null
  readonly event: Omit<EventReference, 'id'>
}

export interface StatementQuery {
  readonly accountId: string
  /** Milliseconds since 1970, inclusive / exclusive. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** Default: the oldest first. */
  readonly order?: StatementOrder | undefined
  /** The entry that the page goes on behind, in the order that was asked for. */
  readonly after?: number | undefined
  readonly limit: number
}

export interface Statement {
  /** Balance before the oldest row; opening + sum of rows = closing. */
  readonly opening: PicoDollars
  readonly closing: PicoDollars
  readonly rows: readonly StatementRow[]
  readonly more: boolean
}
