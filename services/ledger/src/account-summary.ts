/** An account as it is shown. */
import type { AccountState } from './account/state.ts'
import type { AccountSummary, Balance } from './ledger.ts'

export function balanceOf({ balance, held }: AccountState): Balance {
  return { settled: balance, held, available: balance - held }
}

export function summaryOf(accountId: string, state: AccountState): AccountSummary {
  return {
    accountId,
    name: state.name,
    spendPolicy: state.spendPolicy,
    priceList: state.priceList,
    balance: balanceOf(state),
    keys: [...state.keys.values()].map(({ secretHash: _, ...key }) => ({ ...key })),
    grants: [...state.grants.values()].map(({ reference: _, ...grant }) => ({ ...grant })),
    openRequests: state.openRequests.size,
  }
}
