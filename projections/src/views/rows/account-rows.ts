/** What is asked about accounts, their grants and holds, and prices, and what is answered. */
import type { SpendPolicy } from '@svc/contracts/events/account'
import type { PicoDollars } from '@svc/contracts/money'
import type { PriceVersion } from '@svc/contracts/price'

export interface AccountRow {
  readonly accountId: string
  readonly name: string
  /** The name that the account has in the operator's own system. */
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

export interface AccountsPage {
  /** An account that the page goes on behind. */
  readonly after?: string | undefined
  readonly limit: number
  /** Whether the newest accounts come first. Default: the oldest first. */
  readonly isNewestFirst?: boolean
}

export type DebitedAccount = Pick<AccountRow, 'accountId' | 'debitedTotal'>

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

/** Credit that was given, and what is left of it. */
export interface GrantRow {
  readonly grantId: string
  readonly accountId: string
  readonly category: 'paid' | 'promotional'
  /** The order of spending: lower is spent first. */
  readonly priority: number
  readonly amount: PicoDollars
  readonly remaining: PicoDollars
  readonly expiresAt: number | null
  readonly grantedAt: number
  readonly voidedAt: number | null
}

export type GrantPlace = Pick<GrantRow, 'grantId' | 'expiresAt'>

export interface GrantsQuery {
  /** The account of the grants. Default: all accounts. */
  readonly accountId?: string
  /** Whether only grants of which something is left are listed. */
  readonly isOpen: boolean
  /** Lists only grants that expire before this moment, in milliseconds since 1970. */
  readonly endsBefore?: number | undefined
  readonly after?: GrantPlace | undefined
  readonly limit: number
}

/** A page of grants: the next to expire first, those that never do last. */
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
  /** Lists only requests that have held since before this moment, in milliseconds since 1970. */
  readonly before?: number | undefined
  readonly after?: Pick<HoldRow, 'since' | 'requestId'> | undefined
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
