/**
 * The interface of the ledger. Everything that may happen to credit goes through here; nothing else
 * appends to an account stream.
 */

import type { AcceptRequest, SettleRequest } from '@svc/contracts/commands'
import type { GrantSlice, SpendPolicy } from '@svc/contracts/events/account'
import type { PicoDollars } from '@svc/contracts/money'
import type { Position } from '@svc/contracts/ports/event-store'
import type { CostLine, PriceVersion } from '@svc/contracts/price'
import type { Administration } from './administration/administration.ts'
import type { Pricing } from './pricing/pricing.ts'

export type { NewPrice, Pricing } from './pricing/pricing.ts'
export type { PublishedPrice } from './pricing/published-price.ts'

export interface Balance {
  /** Grants less debits; negative is a debt. */
  readonly settled: PicoDollars
  readonly held: PicoDollars
  /** `settled - held` */
  readonly available: PicoDollars
}

export interface KeySummary {
  readonly keyId: string
  readonly name: string
  readonly lastFour: string
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  /** In the operator's own system. */
  readonly externalId: string | null
}

export interface GrantSummary {
  readonly grantId: string
  readonly amount: PicoDollars
  readonly remaining: PicoDollars
  readonly category: 'paid' | 'promotional'
  readonly priority: number
  readonly expiresAt: number | null
  readonly grantedAt: number
  readonly voidedAt: number | null
}

export type AccountStatus = 'open' | 'frozen' | 'closed'

export interface AccountSummary {
  readonly accountId: string
  readonly name: string
  readonly externalId: string | null
  readonly status: AccountStatus
  readonly spendPolicy: SpendPolicy
  readonly priceList: string
  readonly balance: Balance
  readonly keys: readonly KeySummary[]
  readonly grants: readonly GrantSummary[]
  readonly openRequests: number
}

export interface Caller {
  readonly accountId: string
  readonly keyId: string
}

export interface Accepted {
  readonly requestId: string
  readonly price: PriceVersion
  readonly hold: PicoDollars
  /** What the request may produce: lower than asked for when `strict` had to lower it. */
  readonly maxOutputTokens: number
  readonly lowered: boolean
  /** By the steady clock: who finds the request open after it may end it. */
  readonly deadline: number
  /**
   * Resolves when RequestAccepted is durable; the first byte waits for it. Rejects with a
   * ServiceError when the store took another course: then the worker's run must be cancelled.
   */
  readonly durable: Promise<void>
}

export interface Settled {
  readonly amount: PicoDollars
  readonly lines: readonly CostLine[]
  readonly slices: readonly GrantSlice[]
  readonly balanceAfter: PicoDollars
}

export interface NewRequest
  extends Omit<
    AcceptRequest,
    | 'type'
    | 'at'
    | 'actor'
    | 'gatewayId'
    | 'price'
    | 'soldFrom'
    | 'isStarted'
    | 'isKeySearched'
    | 'deadline'
  > {
  /** When it has ended at the latest, from its acceptance, whatever it waited for before. */
  readonly endsWithinMs: number
  /** Whether the bundled model runs it: only then it can be sold at the demo price. Default no. */
  readonly onBundledModel?: boolean
}

/** Refusals reject with a `ServiceError` of the catalogue. Ids and times are made inside. */
export interface Ledger {
  /** What the operator does to accounts. */
  readonly administration: Administration
  /** What requests cost. */
  readonly pricing: Pricing
  /**
   * Whose key this is. Unknown, malformed, expired and revoked all reject alike, `invalid_api_key`.
   */
  authenticate(secret: string): Promise<Caller>
  /** Whose key this is as far as memory knows; undefined says nothing about the key. */
  knownCaller(secret: string): Caller | undefined
  /** The newest. Credit that is past its time and that no open request holds is booked first. */
  balance(accountId: string): Promise<Balance>
  /** Whether the account has credit as far as memory knows; false says nothing about it. */
  hasKnownCredit(accountId: string): boolean
  /**
   * The balance as this process last knew it when that is above zero, and else as it is: nobody is
   * refused for want of credit that another process has granted. For a look before any work.
   *
   * @throws {ServiceError} `account_frozen`
   */
  recentBalance(accountId: string): Promise<Balance>
  account(accountId: string): Promise<AccountSummary>
  /** Reads what other processes have written to an account that this one has in memory. */
  lookAgain(accountId: string): Promise<void>
  /** Whether the account is frozen as far as memory knows; another process may know better. */
  isKnownFrozen(accountId: string): boolean

  /** The list whose prices the account pays. */
  priceList(accountId: string): Promise<string>
  /** The same, as this process last knew it. */
  recentPriceList(accountId: string): Promise<string>
  /** A fresh request id, time-ordered. */
  newRequestId(): string
  /**
   * Resolves when the decision is made in memory (the worker may start); see
   * {@link Accepted.durable}. Waits a bounded time for credit that running requests hold before it
   * refuses. Rejects with the signal's reason when that aborts the wait.
   */
  accept(accountId: string, request: NewRequest, signal?: AbortSignal): Promise<Accepted>
  /**
   * Resolves when meter and debit are durable, in one append. Never refuses for lack of credit.
   * After `store_unavailable` or `server_is_overloaded` it may be sent again: a request that was
   * debited gives the debit that is recorded, one that ended without any is a `conflict`.
   */
  settle(
    accountId: string,
    request: Pick<SettleRequest, 'requestId' | 'meter' | 'finishReason' | 'rule' | 'failure'>,
  ): Promise<Settled>
  /**
   * Ends a request without a charge. Resolves when durable, also when it had ended so before; a
   * request that was debited is a `conflict`.
   */
  fail(accountId: string, requestId: string, reason: string): Promise<void>
  /** Ends a request whose gateway died. Resolves to false when it had ended already. */
  abandon(accountId: string, requestId: string, reason: string): Promise<boolean>

  /**
   * The request of an Idempotency-Key that this account has ever used, unless it ended without a
   * debit: then the key is free.
   *
   * @throws {ServiceError} `view_behind` when it is an old key's turn and the log's index is behind
   */
  idempotent(
    accountId: string,
    keyHash: string,
  ): Promise<{ requestId: string; bodyHash: string; running: boolean } | undefined>
  /**
   * Position of the last event of the account that this process has appended or read, for
   * read-your-writes; undefined when it has not looked at the account.
   */
  lastPosition(accountId: string): Position | undefined
  /** Whether this process is running the request now. */
  isRunning(requestId: string): boolean

  /** Stops taking commands, lets what is queued become durable, saves snapshots. */
  close(): Promise<void>
}
