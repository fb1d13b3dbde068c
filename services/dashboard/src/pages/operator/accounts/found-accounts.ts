/** Which accounts fit what stands in the address, in which order, and their sums. */
import type { ListedAccount } from '@svc/contracts/admin/accounts'
import { formatExact, parseDollars } from '@svc/contracts/money'
import type { AccountOrder, AccountsSearch } from '../../../address/operator-search.ts'

/** @param accounts the oldest first */
export function foundAccounts(
  accounts: readonly ListedAccount[],
  { find = '', status, order = 'newest' }: AccountsSearch,
): readonly ListedAccount[] {
  const asked = find.trim().toLowerCase()
  const fits = (account: ListedAccount) =>
    (status === undefined || account.status === status) &&
    (asked === '' || wordsOf(account).some((word) => word.toLowerCase().includes(asked)))
  return accounts.toReversed().filter(fits).sort(orders[order])
}

export interface Sums {
  readonly settled: string
  readonly held: string
  readonly available: string
  readonly spent_30_days: string
}

/** Exact, over all of them. */
export function sumsOf(accounts: readonly ListedAccount[]): Sums {
  const sum = (name: keyof Sums) =>
    formatExact(accounts.reduce((total, account) => total + parseDollars(account[name]), 0n))
  return {
    settled: sum('settled'),
    held: sum('held'),
    available: sum('available'),
    spent_30_days: sum('spent_30_days'),
  }
}

type Compare = (one: ListedAccount, other: ListedAccount) => number

const orders: Readonly<Record<AccountOrder, Compare>> = {
  newest: () => 0,
  activity: (one, other) => Date.parse(other.last_activity_at) - Date.parse(one.last_activity_at),
  available: byAmount('available'),
  held: byAmount('held'),
  spent: byAmount('spent_30_days'),
  name: (one, other) => one.name.localeCompare(other.name),
}

/** The largest first. */
function byAmount(name: keyof Sums): Compare {
  return (one, other) => {
    const difference = parseDollars(other[name]) - parseDollars(one[name])
    return difference > 0n ? 1 : difference < 0n ? -1 : 0
  }
}

function wordsOf({ name, account_id: id, external_id: externalId }: ListedAccount): string[] {
  return externalId === null ? [name, id] : [name, id, externalId]
}
