/**
 * The interface of the ledger. Everything that may happen to credit goes through here; nothing else
 * appends to an account stream.
 */

import type { AcceptRequest, GrantCredit, SettleRequest } from '@svc/contracts/commands'
import type { GrantSlice, PriceCorrection, SpendPolicy } from '@svc/contracts/events/account'
import type { PicoDollars } from '@svc/contracts/money'
import type { Position } from '@svc/contracts/ports/event-store'
import type { CostLine, PriceVersion, Rates } from '@svc/contracts/price'
import type { Administration, RevokedKey } from './administration/administration.ts'
import type { CorrectedPrice } from './pricing/price-rules.ts'
import type { PricePublication, PublishedPrice, WithdrawnPrice } from './pricing/published-price.ts'

export type { PricePublication, PublishedPrice, WithdrawnPrice } from './pricing/published-price.ts'

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
  /** In milliseconds since 1970: who finds the request open after it may end it. */
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

export interface NewKey {
  readonly keyId: string
  /** Shown once; only its hash is stored. */
  readonly secret: string
}

export interface NewRequest
  extends Omit<
    AcceptRequest,
    'type' | 'at' | 'actor' | 'gatewayId' | 'price' | 'isStarted' | 'isKeySearched' | 'deadline'
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

  openAccount(input: { name: string; spendPolicy?: SpendPolicy; actor: string }): Promise<string>
  /**
   * From here on the account pays the prices of a list, and those of the default list where that
   * one has none in force. Running requests keep their price.
   *
   * @returns whether it was on another list before
   * @throws {ServiceError} `invalid_value` for a list without any price
   */
  setPriceList(accountId: string, priceList: string, actor: string): Promise<boolean>
  /** The list whose prices the account pays. */
  priceList(accountId: string): Promise<string>
  /** The same, as this process last knew it. */
  recentPriceList(accountId: string): Promise<string>
  /** @returns the grant id; the same reference on the same account grants once */
  grant(
    accountId: string,
    grant: Pick<
      GrantCredit,
      'amount' | 'category' | 'priority' | 'expiresAt' | 'reference' | 'reason' | 'actor'
    >,
  ): Promise<string>
  createKey(
    accountId: string,
    input: { name: string; expiresAt?: number; actor: string },
  ): Promise<NewKey>
  /** A key that was revoked before stays revoked since then. */
  revokeKey(accountId: string, keyId: string, reason: string, actor: string): Promise<RevokedKey>

  /**
   * The price in force now, or null: then the model cannot be sold.
   *
   * @param onBundledModel whether the bundled model runs it; only then the demo price counts
   * @param priceList default: that of accounts without a list of their own
   */
  currentPrice(model: string, onBundledModel?: boolean, priceList?: string): PublishedPrice | null
  /** The price that takes effect next, or null: none is announced. Parameters as above. */
  nextPrice(model: string, onBundledModel?: boolean, priceList?: string): PublishedPrice | null
  prices(): readonly PublishedPrice[]
  /** Whether a run of price corrections was begun, as far as this process knows. */
  isCorrectionRun(runId: string): boolean
  /** Reads prices that another gateway may have just published; keeps those known on failure. */
  lookForPrices(): Promise<void>
  /**
   * @param input `effectiveFrom` in milliseconds since 1970, now or later, default now; `actor` who
   *   publishes it, this gateway if nobody is named
   * @throws {ServiceError} `invalid_value` when the price would take effect in the past, `conflict`
   *   when another one of the list takes effect at the same moment
   */
  publishPrice(input: {
    model: string
    /** Default: the list of accounts without one of their own. */
    priceList?: string
    rates: Rates
    effectiveFrom?: number
    actor?: string
  }): Promise<PublishedPrice>
  /**
   * The same, and whether it was new: the same idempotency key publishes once, and is a `conflict`
   * with another price.
   */
  publishPriceOnce(
    input: Parameters<Ledger['publishPrice']>[0] & {
      readonly idempotencyKey?: string | undefined
      /** Is shown the price that a new one would replace, and throws to refuse it. */
      readonly approve?: (replaced: PublishedPrice | null) => void
    },
  ): Promise<PricePublication>
  /** Publishes unless there is any price already: of gateways that start at once, one does. */
  publishFirstPrice(input: Parameters<Ledger['publishPrice']>[0]): Promise<void>
  /** Refuses what publishing refuses. Resolves to the price that would be replaced, or null. */
  previewPrice(input: Parameters<Ledger['publishPrice']>[0]): Promise<PublishedPrice | null>
  /**
   * Takes back a price that has been announced. One that was withdrawn before stays so.
   *
   * @throws {ServiceError} `not_found`; `conflict` from a minute before it takes effect on
   */
  withdrawPrice(input: { version: string; reason: string; actor: string }): Promise<WithdrawnPrice>

  /**
   * What a run that corrects a price would be about. Refuses what {@link correctPrice} refuses, but
   * for a price that was replaced just now.
   */
  previewCorrection(input: CorrectedPrice): Promise<PriceCorrection>
  /**
   * Records that the requests of a period were charged at a wrong price, and names the run that
   * makes it good, account by account: {@link Administration.correctPrice}. The same key is the
   * same run, and about the same requests.
   *
   * @throws {ServiceError} `not_found`, `invalid_value`; `conflict` while requests may be accepted at
   *   the price and the period is open, and when the run was begun with other content
   */
  correctPrice(
    input: CorrectedPrice & {
      readonly idempotencyKey: string
      readonly reason: string
      readonly actor: string
    },
  ): Promise<PriceCorrection>

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
