/** Turns the state of an account into what callers and the operator see of it. */
import { burnOrder } from './account/burn-down.ts'
import type { AccountState, Grant } from './account/state.ts'
import type {
  AccountCredit,
  AccountStatus,
  AccountSummary,
  Balance,
  ExpiringCredit,
  ExpiringGrant,
} from './ledger.ts'

export function balanceOf({ balance, held }: AccountState): Balance {
  return { settled: balance, held, available: balance - held }
}

export function creditOf(state: AccountState): AccountCredit {
  return { ...balanceOf(state), expiring: expiringCredit(state.burning) }
}

/**
 * Finds what ends one day among the grants of an account. Of those that end at the same moment, the
 * one that is spent first comes first.
 */
export function expiringCredit(
  grants: readonly (Parameters<typeof burnOrder>[0] & Pick<Grant, 'remaining'>)[],
): ExpiringCredit {
  const expiring: ExpiringGrant[] = []
  let total = 0n
  for (const { grantId, remaining, expiresAt } of grants.toSorted(burnOrder)) {
    if (expiresAt === null || remaining === 0n) continue
    expiring.push({ grantId, remaining, expiresAt })
    total += remaining
  }
  // The sort is stable: the order of spending stays within one moment.
  return { total, grants: expiring.sort((a, b) => a.expiresAt - b.expiresAt) }
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
