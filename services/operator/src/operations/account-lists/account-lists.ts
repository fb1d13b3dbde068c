/** Accounts in an order, and their sums, of views that are current. */
import type { accountOrders, ListedAccount } from '@svc/contracts/admin/accounts'
import { accountIdOfExternal } from '@svc/contracts/ids'
import { readKeptText } from '@svc/contracts/kept-text'
import { formatExact } from '@svc/contracts/money'
import { type Pace, stepSize } from '@svc/contracts/ports/pace'
import type { Quarantine } from '@svc/contracts/ports/quarantine'
import type { TextStore } from '@svc/contracts/ports/text-store'
import type { Clock } from '@svc/contracts/ports/time'
import type { Projections } from '@svc/projections/open-projections'
import { lastThirtyDays } from '@svc/projections/spent-lately'
import type { AccountCalled, AccountRow, AccountStanding } from '@svc/projections/views'
import { comparable, NameMemory } from '../texts/name-memory.ts'
import { accountSummary } from '../values/details.ts'
import {
  isDamaged,
  isOfStatus,
  type ListedStatus,
  type StandingAccount,
} from '../values/listed-status.ts'
import { mostFirst, type Ranked, TopRows } from './top-rows.ts'

/** Rows that are read in one step, and those whose spending is: some milliseconds each. */
const ROWS_PER_STEP = 500
const STANDINGS_PER_STEP = 2_000
const SPENDINGS_PER_STEP = 1_000
/** Accounts that one step looks at where it has to read their names. */
const NAMES_PER_STEP = 100

/** `Customer 9` comes before `Customer 10`, and a letter with an accent beside the one without. */
const nameOrder = new Intl.Collator('en', { numeric: true })

/** Ranks first what waits for somebody to do something. */
const statusRanks: Readonly<Record<AccountRow['status'], bigint>> = {
  frozen: 2n,
  open: 1n,
  closed: 0n,
}

type AskedStatus = ListedStatus | undefined
type Order = (typeof accountOrders)[number]
type SpendingAccount = Pick<AccountRow, 'accountId' | 'lastActivityAt' | 'debitedTotal'>

export interface AccountListPorts {
  readonly projections: Pick<Projections, 'views'>
  readonly pace: Pace
  readonly clock: Clock
  readonly texts: Pick<TextStore, 'find'>
  /** Default: no account is damaged. */
  readonly quarantine?: Pick<Quarantine, 'find'>
  /** Default: nothing is remembered from one list to the next. */
  readonly names?: NameMemory
}

interface Page {
  readonly after?: string | undefined
  readonly limit: number
}

export class AccountLists {
  readonly #ports: AccountListPorts

  constructor(ports: AccountListPorts) {
    this.#ports = ports
  }

  ofExternalId(externalId: string): readonly AccountRow[] {
    const row = this.#ports.projections.views.account(accountIdOfExternal(externalId))
    return row === undefined ? [] : [row]
  }

  async shown(rows: readonly AccountRow[]): Promise<ListedAccount[]> {
    const spent = await this.#spentBy(rows)
    return rows.map((row, index) => {
      const damaged = isDamaged(this.#ports.quarantine, row)
      return { ...accountSummary(row), damaged, spent_30_days: formatExact(spent[index] ?? 0n) }
    })
  }

  async page(order: Order, status: AskedStatus, page: Page): Promise<readonly AccountRow[]> {
    const isNewestFirst = order === 'newest'
    if (order === 'oldest' || isNewestFirst) return this.#byAge(isNewestFirst, status, page)
    if (order === 'name') return this.#byName(status, page)
    const ranked = async (some: readonly AccountStanding[]): Promise<readonly Ranked<bigint>[]> => {
      const spent = order === 'spent' ? await this.#spentBy(some) : []
      return some.map((standing, index) => {
        return { accountId: standing.accountId, rank: rankOf(standing, order, spent[index]) }
      })
    }
    const { views } = this.#ports.projections
    const last = page.after === undefined ? undefined : views.account(page.after)
    const [behind] = await ranked(last === undefined ? [] : [last])
    const top = new TopRows(page.limit, mostFirst, behind)
    for await (const standings of this.#standings(status)) top.add(await ranked(standings))
    return top.accountIds().flatMap((id) => views.account(id) ?? [])
  }

  async sums(status: AskedStatus) {
    const sums = { accounts: 0, damaged: 0, open: 0, settled: 0n, held: 0n, spent: 0n }
    for await (const standings of this.#standings(status)) {
      const spent = await this.#spentBy(standings)
      for (const [index, standing] of standings.entries()) {
        const { settled, held, openRequests } = standing
        sums.accounts += 1
        if (isDamaged(this.#ports.quarantine, standing)) sums.damaged += 1
        sums.open += openRequests
        sums.settled += settled
        sums.held += held
        sums.spent += spent[index] ?? 0n
      }
    }
    return {
      accounts: sums.accounts,
      damaged: sums.damaged,
      open_requests: sums.open,
      settled: formatExact(sums.settled),
      held: formatExact(sums.held),
      available: formatExact(sums.settled - sums.held),
      spent_30_days: formatExact(sums.spent),
    }
  }

  async #byAge(
    isNewestFirst: boolean,
    status: AskedStatus,
    { limit, after = '' }: Page,
  ): Promise<readonly AccountRow[]> {
    const { projections, pace } = this.#ports
    // Where few accounts have the status, pages as small as the one that is asked for would be
    // many.
    const perStep = status === undefined ? limit : ROWS_PER_STEP
    const found: AccountRow[] = []
    for (let from = after; found.length < limit; ) {
      const page = { after: from, limit: perStep, isNewestFirst }
      const rows = await pace.step(() => projections.views.accounts(page))
      found.push(...rows.filter((row) => this.#isOf(row, status)))
      const last = rows.at(-1)
      if (last === undefined || rows.length < perStep) break
      from = last.accountId
    }
    return found.slice(0, limit)
  }

  async #byName(status: AskedStatus, page: Page): Promise<readonly AccountRow[]> {
    const { views } = this.#ports.projections
    const memory = this.#ports.names ?? new NameMemory(this.#ports)
    memory.begin()
    const last = page.after === undefined ? undefined : views.account(page.after)
    const [behind] = await this.#rankedByName(memory, last === undefined ? [] : [last])
    const top = new TopRows(page.limit, nameOrder.compare, behind)
    for await (const some of this.#called(status)) top.add(await this.#rankedByName(memory, some))
    return top.accountIds().flatMap((id) => views.account(id) ?? [])
  }

  /** Their names are beside the log, or stand in the view where they are from before that. */
  async #rankedByName(
    memory: NameMemory,
    accounts: readonly Pick<AccountCalled, 'accountId' | 'name'>[],
  ): Promise<readonly Ranked<string>[]> {
    const { pace } = this.#ports
    const ranked: Ranked<string>[] = []
    for (let taken = 0; taken < accounts.length; ) {
      const some = accounts.slice(taken, taken + stepSize(pace, NAMES_PER_STEP))
      const words = some.map(({ name }) => name).filter((name) => readKeptText(name) !== undefined)
      const texts = await pace.step(() => memory.textsOf(words))
      for (const { accountId, name } of some) {
        ranked.push({ accountId, rank: texts.get(name) ?? comparable(name) })
      }
      taken += some.length
    }
    return ranked
  }

  async *#called(status: AskedStatus): AsyncGenerator<readonly AccountCalled[]> {
    const { projections, pace } = this.#ports
    for (let after = ''; ; ) {
      const page = { after, limit: stepSize(pace, ROWS_PER_STEP) }
      const rows = await pace.step(() => projections.views.accountsCalled(page))
      yield rows.filter((row) => this.#isOf(row, status))
      const last = rows.at(-1)
      if (last === undefined || rows.length < page.limit) return
      after = last.accountId
    }
  }

  /** Reads all accounts of a status, step by step; none of a step may fit. */
  async *#standings(status: AskedStatus): AsyncGenerator<readonly AccountStanding[]> {
    const { projections, pace } = this.#ports
    let next: number | undefined = 0
    while (next !== undefined) {
      const after: number = next
      const page = await pace.step(() =>
        projections.views.accountStandings({ after, limit: stepSize(pace, STANDINGS_PER_STEP) }),
      )
      yield page.rows.filter((each) => this.#isOf(each, status))
      next = page.next
    }
  }

  #isOf(account: StandingAccount, status: AskedStatus): boolean {
    return isOfStatus(this.#ports.quarantine, account, status)
  }

  /** Adds up what each account spent in thirty days, in the order of the accounts. */
  async #spentBy(accounts: readonly SpendingAccount[]): Promise<readonly bigint[]> {
    const { projections, pace, clock } = this.#ports
    const [from] = lastThirtyDays(clock.nowMs())
    // Accounts that did nothing since then spent nothing since then.
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
  if (order === 'status') return statusRanks[standing.status]
  if (order === 'activity') return BigInt(standing.lastActivityAt)
  if (order === 'available') return standing.settled - standing.held
  return order === 'held' ? standing.held : spent
}
