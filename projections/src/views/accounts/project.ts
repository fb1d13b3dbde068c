/**
 * The standing of all accounts: what is settled, what is held and by what, what is left of every
 * grant, and the prices that they pay.
 */
import { isAccountEvent, type SpendPolicy } from '@svc/contracts/events/account'
import type { PicoDollars } from '@svc/contracts/money'
import type { DecodedEvent, StoredData } from '../../projection/decode.ts'
import type { HoldRow } from '../rows/account-rows.ts'
import type { TouchedRows } from '../touched-rows.ts'
import { type ErasureRow, projectErasures } from './erasures.ts'
import { type GrantState, projectGrants } from './grants.ts'
import { type PriceState, projectPrices } from './prices.ts'

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

export interface AccountsRows {
  readonly accounts: TouchedRows<AccountState>
  readonly holds: TouchedRows<HoldRow>
  readonly grants: TouchedRows<GrantState>
  readonly prices: TouchedRows<PriceState>
  readonly erasures: TouchedRows<ErasureRow>
}

export function projectAccounts(rows: AccountsRows, decoded: DecodedEvent): void {
  const { event, accountId } = decoded
  projectErasures(rows.erasures, decoded)
  if (!isAccountEvent(event)) {
    projectPrices(rows.prices, decoded)
    return
  }
  projectGrants(rows.grants, event, accountId)
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
      hold(rows, account, event.data)
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
    case 'TextsErased':
    case 'ApiKeyCreated':
    case 'ApiKeyRenamed':
    case 'ApiKeyExpirySet':
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
  { requestId, hold: amount, at: since, deadline }: StoredData<'RequestAccepted'>,
): void {
  const { accountId } = account
  const held = BigInt(amount)
  rows.holds.add(requestId, { requestId, accountId, hold: held, since, deadline })
  account.held += held
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
