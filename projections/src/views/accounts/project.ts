/** Balances of all accounts: what is settled, what is held, and the totals behind it. */
import { isAccountEvent, type SpendPolicy } from '@svc/contracts/events/account'
import type { PicoDollars } from '@svc/contracts/money'
import type { DecodedEvent, StoredData } from '../../projection/decode.ts'
import type { TouchedRows } from '../touched-rows.ts'

export interface AccountState {
  readonly accountId: string
  name: string
  readonly externalId: string | null
  readonly metadata: Readonly<Record<string, string>>
  status: 'open' | 'frozen' | 'closed'
  spendPolicy: SpendPolicy
  settled: PicoDollars
  held: PicoDollars
  grantedTotal: PicoDollars
  debitedTotal: PicoDollars
  openRequests: number
  readonly openedAt: number
  lastActivityAt: number
}

export interface HoldState {
  readonly requestId: string
  readonly hold: PicoDollars
}

export interface AccountsRows {
  readonly accounts: TouchedRows<AccountState>
  readonly holds: TouchedRows<HoldState>
}

export function projectAccounts(rows: AccountsRows, { event, accountId }: DecodedEvent): void {
  if (!isAccountEvent(event)) return
  if (event.type === 'AccountOpened') {
    rows.accounts.add(accountId, openedAccount(event.data))
    return
  }
  const account = rows.accounts.change(accountId)
  account.lastActivityAt = event.data.at
  switch (event.type) {
    case 'SpendPolicySet':
      account.spendPolicy = event.data.spendPolicy
      break
    case 'CreditGranted':
      account.settled = BigInt(event.data.balanceAfter)
      account.grantedTotal += BigInt(event.data.amount)
      break
    case 'AccountRenamed':
      account.name = event.data.name
      break
    case 'AccountFrozen':
      account.status = 'frozen'
      break
    case 'AccountUnfrozen':
      account.status = 'open'
      break
    case 'AccountClosed':
      account.status = 'closed'
      account.settled = BigInt(event.data.balanceAfter)
      break
    case 'CreditExpired':
    case 'GrantVoided':
    case 'CreditRefunded':
    case 'BalanceAdjusted':
      account.settled = BigInt(event.data.balanceAfter)
      break
    case 'RequestAccepted':
      hold(rows, account, event.data.requestId, BigInt(event.data.hold))
      break
    case 'CreditDebited':
      account.settled = BigInt(event.data.balanceAfter)
      account.debitedTotal += BigInt(event.data.amount)
      release(rows, account, event.data.requestId)
      break
    case 'RequestFailed':
    case 'RequestAbandoned':
      release(rows, account, event.data.requestId)
      break
    case 'PriceListSet':
    case 'ApiKeyCreated':
    case 'ApiKeyRenamed':
    case 'ApiKeyRevoked':
    case 'TokensMetered':
      break
    default:
      event satisfies never
  }
}

function openedAccount(data: StoredData<'AccountOpened'>): AccountState {
  return {
    accountId: data.accountId,
    name: data.name,
    externalId: data.externalId,
    metadata: data.metadata,
    status: 'open',
    spendPolicy: data.spendPolicy,
    settled: 0n,
    held: 0n,
    grantedTotal: 0n,
    debitedTotal: 0n,
    openRequests: 0,
    openedAt: data.at,
    lastActivityAt: data.at,
  }
}

function hold(
  rows: AccountsRows,
  account: AccountState,
  requestId: string,
  amount: PicoDollars,
): void {
  rows.holds.add(requestId, { requestId, hold: amount })
  account.held += amount
  account.openRequests += 1
}

/**
 * The debit ends the hold; a failure that follows in the same append finds none, and that is
 * right.
 */
function release(rows: AccountsRows, account: AccountState, requestId: string): void {
  const held = rows.holds.remove(requestId)
  if (held === undefined) return
  account.held -= held.hold
  account.openRequests -= 1
}
