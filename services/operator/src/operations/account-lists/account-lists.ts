/** Accounts in an order, and their sums, of views that are current. */
import type { accountOrders, ListedAccount } from '@svc/contracts/admin/accounts'
import { accountIdOfExternal } from '@svc/contracts/ids'
import { formatExact } from '@svc/contracts/money'
import { type Pace, stepSize } from '@svc/contracts/ports/pace'
import type { Clock } from '@svc/contracts/ports/time'
import type { Projections } from '@svc/projections/open-projections'
import { lastThirtyDays } from '@svc/projections/spent-lately'
import type { AccountRow, AccountStanding } from '@svc/projections/views'
import { accountSummary } from '../values/details.ts'
import { type Ranked, TopRows } from './top-rows.ts'

/** Rows that are read in one step, and those whose spending is: some milliseconds each. */
const ROWS_PER_STEP = 500
const STANDINGS_PER_STEP = 2_000
const SPENDINGS_PER_STEP = 1_000

type Status = AccountRow['status']
type Order = (typeof accountOrders)[number]
type SpendingAccount = Pick<AccountRow, 'accountId' | 'lastActivityAt' | 'debitedTotal'>

export interface AccountListPorts {
  readonly projections: Pick<Projections, 'views'>
  readonly pace: Pace
  readonly clock: Clock
}

interface Page {
  readonly after?: string
  readonly limit: number
}

export class AccountLists {
  readonly #ports: AccountListPorts

  constructor(ports: AccountListPorts) {
    this.#ports = ports
  }

  named(externalId: string): readonly AccountRow[] {
    const row = this.#ports.projections.views.account(accountIdOfExternal(externalId))
    return row === undefined ? [] : [row]
  }

  async shown(rows: readonly AccountRow[]): Promise<ListedAccount[]> {
    const spent = await this.#spentBy(rows)
    return rows.map((row, index) => {
      return { ...accountSummary(row), spent_30_days: formatExact(spent[index] ?? 0n) }
    })
  }

  async page(order: Order, status: Status | undefined, page: Page): Promise<readonly AccountRow[]> {
    const isNewestFirst = order === 'newest'
    if (order === 'oldest' || isNewestFirst) return this.#byAge(isNewestFirst, status, page)
    const ranked = async (some: readonly AccountStanding[]): Promise<readonly Ranked[]> => {
      const spent = order === 'spent' ? await this.#spentBy(some) : []
      return some.map((standing, index) => {
        return { accountId: standing.accountId, rank: rankOf(standing, order, spent[index]) }
      })
    }
    const { views } = this.#ports.projections
    const last = page.after === undefined ? undefined : views.account(page.after)
    const [behind] = await ranked(last === undefined ? [] : [last])
    const top = new TopRows(page.limit, behind)
    for await (const standings of this.#standings(status)) top.add(await ranked(standings))
    return top.accountIds().flatMap((id) => views.account(id) ?? [])
  }

  async sums(status: Status | undefined) {
    const sums = { accounts: 0, open: 0, settled: 0n, held: 0n, spent: 0n }
    for await (const standings of this.#standings(status)) {
      const spent = await this.#spentBy(standings)
      for (const [index, { settled, held, openRequests }] of standings.entries()) {
        sums.accounts += 1
        sums.open += openRequests
        sums.settled += settled
        sums.held += held
        sums.spent += spent[index] ?? 0n
      }
    }
    return {
      accounts: sums.accounts,
      open_requests: sums.open,
      settled: formatExact(sums.settled),
      held: formatExact(sums.held),
      available: formatExact(sums.settled - sums.held),
      spent_30_days: formatExact(sums.spent),
    }
  }

  async #byAge(
    isNewestFirst: boolean,
    status: Status | undefined,
    { limit, after = '' }: Page,
  ): Promise<readonly AccountRow[]> {
    const { projections, pace } = this.#ports
    // Where few fit, pages as small as what is asked for would be many.
    const perStep = status === undefined ? limit : ROWS_PER_STEP
    const found: AccountRow[] = []
    for (let from = after; found.length < limit; ) {
      const page = { after: from, limit: perStep, isNewestFirst }
      const rows = await pace.step(() => projections.views.accounts(page))
      found.push(...rows.filter((row) => status === undefined || row.status === status))
      const last = rows.at(-1)
      if (last === undefined || rows.length < perStep) break
      from = last.accountId
    }
    return found.slice(0, limit)
  }

  /** All of a status, step by step; none of a step may fit. */
  async *#standings(status: Status | undefined): AsyncGenerator<readonly AccountStanding[]> {
    const { projections, pace } = this.#ports
    let next: number | undefined = 0
    while (next !== undefined) {
      const after: number = next
      const page = await pace.step(() =>
        projections.views.accountStandings({ after, limit: stepSize(pace, STANDINGS_PER_STEP) }),
      )
      yield page.rows.filter((each) => status === undefined || each.status === status)
      next = page.next
    }
  }

  /** Of each account, in thirty days. */
  async #spentBy(accounts: readonly SpendingAccount[]): Promise<readonly bigint[]> {
    const { projections, pace, clock } = this.#ports
    const [from] = lastThirtyDays(clock.nowMs())
    // Who did nothing since spent nothing since.
    const active = accounts.filter(({ lastActivityAt }) => lastActivityAt >= from)
    const spent = new Map<string, bigint>()
    for (let taken = 0; taken < active.length; ) {
      const some = active.slice(taken, taken + stepSize(pace, SPENDINGS_PER_STEP))
      const amounts = await pace.step(() => projections.views.spentSince(some, from))
      for (const [index, { accountId }] of some.entries()) {
        spent.set(accountId, amounts[index] ?? 0n)
      }
      taken += some.length
    }
    return accounts.map(({ accountId }) => spent.get(accountId) ?? 0n)
  }
}

function rankOf(standing: AccountStanding, order: Order, spent = 0n): bigint {
  if (order === 'activity') return BigInt(standing.lastActivityAt)
  if (order === 'available') return standing.settled - standing.held
  return order === 'held' ? standing.held : spent
}
