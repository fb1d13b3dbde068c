/** What the read models can be asked. A view never decides: it is a replica of the log. */
import type { PicoDollars } from '@svc/contracts/money'
import type {
  AccountCalled,
  AccountRow,
  AccountsPage,
  DebitedAccount,
  GrantsPage,
  GrantsQuery,
  HoldRow,
  HoldsQuery,
  PriceRow,
  StandingsPage,
} from './rows/account-rows.ts'
import type {
  RequestRow,
  RequestsQuery,
  RequestTotal,
  RequestTotalsQuery,
  RunningPage,
  RunningQuery,
} from './rows/request-rows.ts'
import type { Statement, StatementQuery } from './rows/statement-rows.ts'
import type { KeyUsage, Usage, UsageFilter, UsageQuery } from './rows/usage-rows.ts'

export type {
  AccountCalled,
  AccountRow,
  AccountStanding,
  GrantPlace,
  GrantRow,
  HoldRow,
  HoldsQuery,
  PriceRow,
} from './rows/account-rows.ts'
export type {
  RequestRow,
  RunningPage,
  RunningPlace,
  RunningQuery,
} from './rows/request-rows.ts'
export type { AccountMonth, KeyUsage } from './rows/usage-rows.ts'

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
  runningRequests(query: RunningQuery): RunningPage
  /** Lists accounts by their age. */
  accounts(page: AccountsPage): readonly AccountRow[]
  account(accountId: string): AccountRow | undefined
  /** Lists accounts in no order of use; `after` is where a page before ended. */
  accountStandings(page: {
    readonly after?: number | undefined
    readonly limit: number
  }): StandingsPage
  /** The oldest first. */
  accountsCalled(page: Omit<AccountsPage, 'isNewestFirst'>): readonly AccountCalled[]
  /**
   * Tells what was debited for requests since a moment, in the order of the accounts.
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
  /**
   * Sums the requests that {@link Views.requestIds} lists, by status: only those that there are.
   */
  requestTotals(query: RequestTotalsQuery): readonly RequestTotal[]
  usage(query: UsageQuery): Usage
  /** Finds the first quarter of an hour from a moment on in which something was used. */
  nextUse(filter: UsageFilter, fromMs: number): number | undefined
  /** Combinations of key, model and format that an account has used. */
  seriesCount(accountId: string): number
  key(keyId: string): KeyUsage | undefined
  /** All keys of an account, oldest first. */
  keys(accountId: string): readonly KeyUsage[]
}
