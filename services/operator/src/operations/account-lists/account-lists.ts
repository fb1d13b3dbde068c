/** Accounts in an order, and their sums, of views that are current. */
import type { accountOrders, ListedAccount } from '@svc/contracts/admin/accounts'
import { accountIdOfExternal } from '@svc/contracts/ids'
import { formatExact } from '@svc/contracts/money'
import { inSteps, type Pace } from '@svc/contracts/ports/pace'
import type { Clock } from '@svc/contracts/ports/time'
import type { Projections } from '@svc/projections/open-projections'
import { lastThirtyDays } from '@svc/projections/spent-lately'
import type { AccountRow, AccountStanding, SpendingQuery } from '@svc/projections/views'
import { accountSummary } from '../values/details.ts'
import { type Ranked, TopRows } from './top-rows.ts'

/** Rows that are read in one step, and those whose spending is: some milliseconds each. */
const ROWS_PER_STEP = 500
const SPENDINGS_PER_STEP = 50
const STANDINGS_PER_STEP = 2_000
const SERIES_PER_STEP = 500

type Status = AccountRow['status']
type Order = (typeof accountOrders)[number]

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
    const spent = order === 'spent' ? await this.#spentByAll() : new Map<string, bigint>()
    const ranked = (standing: AccountStanding): Ranked => {
      const { accountId } = standing
      return { accountId, rank: rankOf(standing, order, spent.get(accountId)) }
    }
    const { views } = this.#ports.projections
    const last = page.after === undefined ? undefined : views.account(page.after)
    const top = new TopRows(page.limit, last === undefined ? undefined : ranked(last))
    for await (const standings of this.#standings(status)) top.add(standings.map(ranked))
    return top.accountIds().flatMap((id) => views.account(id) ?? [])
  }

  async sums(status: Status | undefined) {
    const sums = { accounts: 0, open: 0, settled: 0n, held: 0n, spent: 0n }
    const spent = await this.#spentByAll()
    for await (const standings of this.#standings(status)) {
      for (const { accountId, settled, held, openRequests } of standings) {
        sums.accounts += 1
        sums.open += openRequests
        sums.settled += settled
        sums.held += held
        sums.spent += spent.get(accountId) ?? 0n
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
    for (let after = ''; ; ) {
      const page = { after, limit: STANDINGS_PER_STEP }
      const some = await pace.step(() => projections.views.accountStandings(page))
      yield status === undefined ? some : some.filter((each) => each.status === status)
      const last = some.at(-1)
      if (last === undefined || some.length < STANDINGS_PER_STEP) return
      after = last.accountId
    }
  }

  /** Of each account, in thirty days. */
  async #spentBy(rows: readonly AccountRow[]): Promise<readonly bigint[]> {
    const { projections, pace, clock } = this.#ports
    const edges = lastThirtyDays(clock.nowMs())
    // Who did nothing since spent nothing since.
    const active = rows.filter(({ lastActivityAt }) => lastActivityAt >= edges[0])
    const spent = new Map<string, bigint>()
    await inSteps(pace, active, SPENDINGS_PER_STEP, ({ accountId }) => {
      const { total } = projections.views.usage({ accountId, edges, groupBy: [] })
      spent.set(accountId, total.amount)
    })
    return rows.map(({ accountId }) => spent.get(accountId) ?? 0n)
  }

  /** Of all accounts that spent something in thirty days. */
  async #spentByAll(): Promise<ReadonlyMap<string, bigint>> {
    const { projections, pace, clock } = this.#ports
    const [from, to] = lastThirtyDays(clock.nowMs())
    const spent = new Map<string, bigint>()
    for (let after: number | undefined = 0; after !== undefined; ) {
      const query: SpendingQuery = { from, to, after, limit: SERIES_PER_STEP }
      const { rows, next } = await pace.step(() => projections.views.spending(query))
      for (const { accountId, amount } of rows) {
        spent.set(accountId, (spent.get(accountId) ?? 0n) + amount)
      }
      after = next
    }
    return spent
  }
}

function rankOf(standing: AccountStanding, order: Order, spent = 0n): bigint {
  if (order === 'activity') return BigInt(standing.lastActivityAt)
  if (order === 'available') return standing.settled - standing.held
  return order === 'held' ? standing.held : spent
}
