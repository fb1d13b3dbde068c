/** Turns the state of an account into what callers and the operator see of it. */
import type { AccountState } from './account/state.ts'
import type { AccountStatus, AccountSummary, Balance } from './ledger.ts'

export function balanceOf({ balance, held }: AccountState): Balance {
  return { settled: balance, held, available: balance - held }
}

export function summaryOf(accountId: string, state: AccountState): AccountSummary {
  return {
    accountId,
    name: state.name,
    externalId: state.externalId,
    status: statusOf(state),
    spendPolicy: state.spendPolicy,
    priceList: state.priceList,
    balance: balanceOf(state),
    keys: [...state.keys.values()].map(({ secretHash: _, content: __, ...key }) => ({ ...key })),
    grants: [...state.grants.values()].map(({ reference: _, expired: __, ...grant }) => ({
      ...grant,
    })),
    openRequests: state.openRequests.size,
  }
}

function statusOf({ closedAt, frozenAt }: AccountState): AccountStatus {
  if (closedAt !== null) return 'closed'
  return frozenAt === null ? 'open' : 'frozen'
}
