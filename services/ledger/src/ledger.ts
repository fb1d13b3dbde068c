/**
 * The interface of the ledger. Everything that may happen to credit goes through here; nothing else
 * appends to an account stream. Money is in pico-dollars, times are milliseconds since 1970 unless
 * a comment names the steady clock.
 *
 * The life of a request:
 *
 *     newRequestId ─▶ accept ─▶ the worker runs ─▶ settle    a debit: also for a part of an answer
 *                       │                       └▶ fail      no debit
 *                       └─ the gateway dies ─────▶ abandon   no debit; the sweeper calls it
 *
 * Methods that say "in memory" answer at once from the state that this process has. It can be older
 * than the log, because other processes write to accounts too. The other methods read the stream to
 * its end wherever an older state could give a wrong answer.
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
  /** Grants less debits. Below zero it is a debt. */
  readonly settled: PicoDollars
  /** The part that open requests hold until they end. */
  readonly held: PicoDollars
  /** `settled - held`: the part that a new request can hold. */
  readonly available: PicoDollars
}

/** Credit that ends one day, unless requests use it up before. */
export interface ExpiringCredit {
  /** What all such grants have left. */
  readonly total: PicoDollars
  /** The grants that have something left, the next to expire first. */
  readonly grants: readonly ExpiringGrant[]
}

export interface ExpiringGrant extends Pick<GrantSummary, 'grantId' | 'remaining'> {
  /** Has passed where open requests still hold what is left. */
  readonly expiresAt: number
}

/** A balance, and which part of it ends when. */
export interface AccountCredit extends Balance {
  readonly expiring: ExpiringCredit
}

export interface KeySummary {
  readonly keyId: string
  readonly name: string
  readonly lastFour: string
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  /** The key's id in the operator's own system; null when the operator gave none. */
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
  /** The most output tokens that the worker may produce. */
  readonly maxOutputTokens: number
  /** Whether that is less than was asked for, because `strict` accounts never go below zero. */
  readonly lowered: boolean
  /**
   * The moment, by the steady clock, until which the request may run. After it the sweeper ends it.
   */
  readonly deadline: number
  /**
   * Resolves when RequestAccepted is durable: only then may the first byte go to the client.
   * Rejects with a ServiceError when the acceptance is not durable: then cancel the worker's run.
   */
  readonly durable: Promise<void>
}

/** The debit of a request. */
export interface Settled {
  readonly amount: PicoDollars
  /** Tokens times price, for each class of tokens. Their sum is `amount`. */
  readonly lines: readonly CostLine[]
  /** The grants that paid, in the order in which they burned. */
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
    | 'keysSearched'
    | 'deadline'
  > {
  /** The longest time from acceptance to end. Waits before the acceptance do not count. */
  readonly endsWithinMs: number
  /** Whether the bundled model runs it: only such requests have the demo price. Default: no. */
  readonly onBundledModel?: boolean
}

/** A request that has run: what its worker metered, and how it ended. */
export type EndedRequest = Pick<
  SettleRequest,
  'requestId' | 'meter' | 'finishReason' | 'rule' | 'failure'
>

/**
 * Refusals reject with a `ServiceError` of the catalogue (`error-catalogue.ts`). The ledger makes
 * the ids and the times of events itself.
 */
export interface Ledger {
  /** What the operator does to accounts. */
  readonly administration: Administration
  /** What requests cost. */
  readonly pricing: Pricing
  /**
   * Finds the account and the key that a secret belongs to. A key that another process has just
   * revoked may still be found; {@link Ledger.accept} then refuses it.
   *
   * @throws {ServiceError} `invalid_api_key`, the same for a key that is unknown, malformed,
   *   expired or revoked
   */
  authenticate(secret: string): Promise<Caller>
  /** Does so in memory. Undefined says nothing about the key: ask {@link authenticate}. */
  knownCaller(secret: string): Caller | undefined
  /**
   * The newest balance. Credit that has expired, and that no open request holds, is written off
   * first.
   */
  balance(accountId: string): Promise<AccountCredit>
  /** Whether the account has credit, in memory. False says nothing about the account. */
  hasKnownCredit(accountId: string): boolean
  /**
   * The balance in memory when it is above zero, and else the newest one, so that nobody is refused
   * whom another process has just granted credit. For a check before any work is done.
   *
   * @throws {ServiceError} `account_frozen`
   */
  recentBalance(accountId: string): Promise<Balance>
  account(accountId: string): Promise<AccountSummary>
  /** Reads what other processes have written to an account that this one has in memory. */
  lookAgain(accountId: string): Promise<void>
  /** Whether the account is frozen, in memory: another process may have changed it since. */
  isKnownFrozen(accountId: string): boolean

  /** The name of the price list that the account is on. */
  priceList(accountId: string): Promise<string>
  /** The same in memory, or the newest one when the account is not in memory. */
  recentPriceList(accountId: string): Promise<string>
  /** A new request id, `req_…`. Later ids sort behind earlier ones. */
  newRequestId(): string
  /**
   * Decides whether a request may run, and holds credit for it.
   *
   * Resolves when the decision is made in memory, so that the worker can start before the event is
   * durable: {@link Accepted.durable} tells when it is. When running requests hold the credit, it
   * waits a bounded time for one of them to end before it refuses.
   *
   * @param signal ends that wait: the promise then rejects with the signal's reason
   */
  accept(accountId: string, request: NewRequest, signal?: AbortSignal): Promise<Accepted>
  /**
   * Ends a request with a debit. Resolves when meter and debit are durable, in one append. Never
   * refuses for lack of credit.
   *
   * It can be called again after `store_unavailable`, `store_rewound` or `server_is_overloaded`:
   * when the request was debited by then, it returns the recorded debit. After any other refusal
   * the request counts as given up, and the sweeper ends it without a debit.
   *
   * @throws {ServiceError} `conflict` when the request ended without a debit, or was never accepted
   */
  settle(accountId: string, request: EndedRequest): Promise<Settled>
  /**
   * Ends a request without a debit. Resolves when that is durable, also when it had ended in this
   * way before.
   *
   * @throws {ServiceError} `conflict` when the request was debited
   */
  fail(accountId: string, requestId: string, reason: string): Promise<void>
  /** Ends a request whose gateway died, without a debit. @returns false when it had ended before */
  abandon(accountId: string, requestId: string, reason: string): Promise<boolean>

  /**
   * Finds the request that an account sent with an Idempotency-Key, however long ago.
   *
   * @returns undefined when there is none, or when it ended without a debit: then the key is free
   * @throws {ServiceError} `view_behind` when the account no longer remembers all of its keys and
   *   the view that has the old ones is behind the log
   */
  idempotent(
    accountId: string,
    keyHash: string,
  ): Promise<{ requestId: string; bodyHash: string; running: boolean } | undefined>
  /**
   * Position of the last event of the account that this process has appended or read. A view that
   * has reached it shows callers what they have written themselves. Undefined when the account is
   * not in memory.
   */
  lastPosition(accountId: string): Position | undefined
  /** Whether this process is running the request now. */
  isRunning(requestId: string): boolean

  /** Refuses new commands, waits until the queued ones are durable, and saves snapshots. */
  close(): Promise<void>
}
