import type { DatabaseSync } from 'node:sqlite'
import type { WireFormat } from '@svc/contracts/events/account'
import type { PicoDollars } from '@svc/contracts/money'
import { QUARTER_MS } from '@svc/contracts/zone'
import {
  type Select,
  type SelectOne,
  select,
  selectArrays,
  selectOne,
} from '../../projection/select.ts'
import type { DebitedAccount } from '../rows/account-rows.ts'
import type {
  AccountMonth,
  KeyUsage,
  Usage,
  UsageFilter,
  UsageQuery,
  UsageStep,
  UsedTokens,
} from '../rows/usage-rows.ts'
import type { MovementTotal, UsageTotal } from './project.ts'
import { Spending } from './spending.ts'
import {
  emptyMovements,
  emptyUsage,
  readKey,
  readMovements,
  readUsage,
  type StoredKey,
  type StoredMovements,
  type StoredUsage,
} from './tables.ts'
import { nothingUsed, sumOfUsed, type UsedColumns, usedBetween } from './used.ts'
import { eachUsedStep, lastBefore, quarterOf, totalsBefore } from './used-steps.ts'

interface StoredSeries {
  readonly number: number
  readonly key_id: string
  readonly model: string
  readonly format: WireFormat
}

/** The next quarter; null when nothing was used since. */
interface NextQuarter {
  readonly quarter: number | null
}

export class UsageQueries {
  readonly #series: Select<StoredSeries>
  readonly #countSeries: SelectOne<{ count: number }>
  readonly #usageBefore: Select<StoredUsage>
  readonly #usedBefore: Select<UsedColumns>
  readonly #allUsedBefore: Select<UsedColumns>
  readonly #nextQuarter: SelectOne<NextQuarter>
  readonly #nextOfAll: SelectOne<NextQuarter>
  readonly #movementsBefore: Select<StoredMovements>
  readonly #key: Select<StoredKey>
  readonly #keysOf: Select<StoredKey>
  readonly #lastOfKey: Select<StoredUsage>
  readonly #spending: Spending

  constructor(database: DatabaseSync) {
    this.#series = select(
      database,
      'SELECT number, key_id, model, format FROM series WHERE account_id = ? ORDER BY number',
    )
    this.#countSeries = selectOne(
      database,
      'SELECT count(*) AS count FROM series WHERE account_id = ?',
    )
    this.#usageBefore = select(
      database,
      'SELECT * FROM usage WHERE series = ? AND quarter < ? ORDER BY quarter DESC LIMIT 1',
    )
    // A page by hour and by key looks at thousands of rows.
    this.#usedBefore = selectArrays(database, lastBefore('usage', 'series'))
    this.#allUsedBefore = selectArrays(database, lastBefore('account_usage', 'account_id'))
    this.#nextQuarter = selectOne(
      database,
      'SELECT min(quarter) AS quarter FROM usage WHERE series = ? AND quarter >= ?',
    )
    this.#nextOfAll = selectOne(
      database,
      'SELECT min(quarter) AS quarter FROM account_usage WHERE account_id = ? AND quarter >= ?',
    )
    this.#movementsBefore = select(
      database,
      'SELECT * FROM movements WHERE account_id = ? AND quarter < ? ORDER BY quarter DESC LIMIT 1',
    )
    this.#key = select(database, 'SELECT * FROM keys WHERE key_id = ?')
    this.#keysOf = select(database, 'SELECT * FROM keys WHERE account_id = ? ORDER BY key_id')
    this.#lastOfKey = select(
      database,
      `
      SELECT usage.* FROM series JOIN usage ON usage.series = series.number
      WHERE account_id = ? AND key_id = ?
        AND quarter = (SELECT max(quarter) FROM usage WHERE usage.series = series.number)`,
    )
    this.#spending = new Spending(database)
  }

  usage({ edges, groupBy, ...filter }: UsageQuery): Usage {
    const quarters = edges.map(quarterOf)
    if (groupBy.length === 0 && isOfAll(filter)) return this.#usageOfAll(filter, quarters)
    const steps = new Map<string, UsageStep>()
    const totals: UsedTokens[] = []
    for (const row of this.#matching(filter)) {
      const group = groupOf(row, groupBy)
      const words = [group.keyId, group.model, group.format].join('\n')
      const usedBefore = totalsBefore(this.#usedBefore, row.number)
      const used = eachUsedStep(usedBefore, quarters, (step, tokens) => {
        const name = `${step}\n${words}`
        const before = steps.get(name)
        const sum = before === undefined ? tokens : sumOfUsed([before, tokens])
        steps.set(name, { step, ...group, ...sum })
      })
      totals.push(used)
    }
    const rows = [...steps.values()].toSorted(
      (a, b) => a.step - b.step || (groupText(a) < groupText(b) ? -1 : 1),
    )
    return { steps: rows, total: sumOfUsed(totals) }
  }

  #usageOfAll({ accountId }: UsageFilter, quarters: readonly number[]): Usage {
    const group = { keyId: null, model: null, format: null }
    const steps: UsageStep[] = []
    const usedBefore = totalsBefore(this.#allUsedBefore, accountId)
    const total = eachUsedStep(usedBefore, quarters, (step, used) => {
      steps.push({ step, ...group, ...used })
    })
    return { steps, total }
  }

  /** Finds the first quarter of an hour from a moment on in which something was used. */
  nextUse(filter: UsageFilter, fromMs: number): number | undefined {
    const from = quarterOf(fromMs)
    if (isOfAll(filter)) {
      const { quarter } = this.#nextOfAll.get(filter.accountId, from)
      return quarter === null ? undefined : quarter * QUARTER_MS
    }
    const next = this.#matching(filter).flatMap(({ number }) => {
      const row = this.#nextQuarter.get(number, from)
      return row.quarter ?? []
    })
    return next.length === 0 ? undefined : Math.min(...next) * QUARTER_MS
  }

  spentSince(accounts: readonly DebitedAccount[], fromMs: number): readonly PicoDollars[] {
    return this.#spending.since(accounts, quarterOf(fromMs))
  }

  /** Sums what moved the balance from one quarter of an hour to another. */
  movements(accountId: string, fromMs: number, toMs: number): AccountMonth {
    const [start, end] = [quarterOf(fromMs), quarterOf(toMs)]
    const numbers = this.#matching({ accountId }).map(({ number }) => number)
    const usedBefore = numbers.map((number) => this.#totalBefore(number, start))
    const usedAfter = numbers.map((number) => this.#totalBefore(number, end))
    const before = this.#movedBefore(accountId, start)
    const after = this.#movedBefore(accountId, end)
    const used = sumOfUsed(usedAfter.map((total, i) => differenceAt(usedBefore, i, total)))
    return {
      accountId,
      opening: balanceOf([before, ...usedBefore]),
      payments: after.payments - before.payments,
      promotional: after.promotional - before.promotional,
      used: used.amount,
      expired: after.expired - before.expired,
      refunded: after.refunded - before.refunded,
      corrected: after.corrected - before.corrected,
      closing: balanceOf([after, ...usedAfter]),
      requests: used.requests,
    }
  }

  /** Combinations of key, model and format: usage looks at each of them. */
  seriesCount(accountId: string): number {
    return this.#countSeries.get(accountId).count
  }

  key(keyId: string): KeyUsage | undefined {
    const stored = this.#key.get(keyId)
    return stored === undefined ? undefined : this.#keyUsage(stored)
  }

  /** Lists the keys, the oldest first. */
  keys(accountId: string): readonly KeyUsage[] {
    const rows = this.#keysOf.all(accountId)
    return rows.map((row) => this.#keyUsage(row))
  }

  #matching({ accountId, ...filter }: UsageFilter): readonly StoredSeries[] {
    const rows = this.#series.all(accountId)
    return rows.filter((row) => matches(row, filter))
  }

  #totalBefore(number: number, quarter: number): UsageTotal {
    const row = this.#usageBefore.get(number, quarter)
    return row === undefined ? emptyUsage(number) : readUsage(row)
  }

  #movedBefore(accountId: string, quarter: number): MovementTotal {
    const row = this.#movementsBefore.get(accountId, quarter)
    return row === undefined ? emptyMovements(accountId) : readMovements(row)
  }

  #keyUsage(stored: StoredKey): KeyUsage {
    const key = readKey(stored)
    const rows = this.#lastOfKey.all(key.accountId, key.keyId)
    const totals = rows.map(readUsage)
    const used = totals.map((total) => usedBetween(nothingUsed(), total))
    const lastUsedAt = Math.max(0, ...totals.map((total) => total.lastUsedAt))
    return { ...key, ...sumOfUsed(used), lastUsedAt: lastUsedAt === 0 ? null : lastUsedAt }
  }
}

function isOfAll({ keyId, model, format }: UsageFilter): boolean {
  return keyId === undefined && model === undefined && format === undefined
}

function matches(
  row: StoredSeries,
  { keyId, model, format }: Omit<UsageFilter, 'accountId'>,
): boolean {
  return (
    (keyId === undefined || keyId === row.key_id) &&
    (model === undefined || model === row.model) &&
    (format === undefined || format === row.format)
  )
}

function groupOf(
  { key_id: keyId, model, format }: StoredSeries,
  groupBy: UsageQuery['groupBy'],
): Pick<UsageStep, 'keyId' | 'model' | 'format'> {
  return {
    keyId: groupBy.includes('key') ? keyId : null,
    model: groupBy.includes('model') ? model : null,
    format: groupBy.includes('format') ? format : null,
  }
}

function groupText({ keyId, model, format }: UsageStep): string {
  return `${keyId}\n${model}\n${format}`
}

function differenceAt(before: readonly UsageTotal[], index: number, after: UsageTotal): UsedTokens {
  return usedBetween(before[index] ?? emptyUsage(after.series), after)
}

/** The balance after the latest of the movements, which the revision tells. */
function balanceOf(rows: readonly { revision: number; balance: string }[]): bigint {
  const latest = rows.reduce((a, b) => (b.revision > a.revision ? b : a))
  return BigInt(latest.balance)
}
