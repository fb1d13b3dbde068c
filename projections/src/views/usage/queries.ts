import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { WireFormat } from '@svc/contracts/events/account'
import { QUARTER_MS } from '@svc/contracts/zone'
import type { AccountMonth, KeyUsage, Usage, UsageQuery, UsageStep, UsedTokens } from '../views.ts'
import type { MovementTotal, UsageTotal } from './project.ts'
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

interface StoredSeries {
  readonly number: number
  readonly key_id: string
  readonly model: string
  readonly format: WireFormat
}

type SeriesFilter = Omit<UsageQuery, 'edges' | 'groupBy'>

export class UsageQueries {
  readonly #series: StatementSync
  readonly #countSeries: StatementSync
  readonly #usageBefore: StatementSync
  readonly #nextQuarter: StatementSync
  readonly #movementsBefore: StatementSync
  readonly #key: StatementSync
  readonly #keysOf: StatementSync
  readonly #lastOfKey: StatementSync

  constructor(database: DatabaseSync) {
    this.#series = database.prepare(
      'SELECT number, key_id, model, format FROM series WHERE account_id = ? ORDER BY number',
    )
    this.#countSeries = database.prepare(
      'SELECT count(*) AS count FROM series WHERE account_id = ?',
    )
    this.#usageBefore = database.prepare(
      'SELECT * FROM usage WHERE series = ? AND quarter < ? ORDER BY quarter DESC LIMIT 1',
    )
    this.#nextQuarter = database.prepare(
      'SELECT min(quarter) AS quarter FROM usage WHERE series = ? AND quarter >= ?',
    )
    this.#movementsBefore = database.prepare(
      'SELECT * FROM movements WHERE account_id = ? AND quarter < ? ORDER BY quarter DESC LIMIT 1',
    )
    this.#key = database.prepare('SELECT * FROM keys WHERE key_id = ?')
    this.#keysOf = database.prepare('SELECT * FROM keys WHERE account_id = ? ORDER BY key_id')
    this.#lastOfKey = database.prepare(`
      SELECT usage.* FROM series JOIN usage ON usage.series = series.number
      WHERE account_id = ? AND key_id = ?
        AND quarter = (SELECT max(quarter) FROM usage WHERE usage.series = series.number)`)
  }

  usage({ edges, groupBy, ...filter }: UsageQuery): Usage {
    const quarters = edges.map(quarterOf)
    const steps = new Map<string, UsageStep>()
    const totals: UsedTokens[] = []
    for (const row of this.#matching(filter)) {
      const group = groupOf(row, groupBy)
      const words = [group.keyId, group.model, group.format].join('\n')
      const used = this.#eachUsedStep(row.number, quarters, (step, tokens) => {
        const name = `${step}\n${words}`
        const before = steps.get(name)
        const sum = before === undefined ? tokens : sumOf([before, tokens])
        steps.set(name, { step, ...group, ...sum })
      })
      totals.push(used)
    }
    const rows = [...steps.values()].toSorted(
      (a, b) => a.step - b.step || (groupText(a) < groupText(b) ? -1 : 1),
    )
    return { steps: rows, total: sumOf(totals) }
  }

  /** The first quarter of an hour from a moment on in which something was used. */
  nextUse(filter: SeriesFilter, fromMs: number): number | undefined {
    const from = quarterOf(fromMs)
    const next = this.#matching(filter).flatMap(({ number }) => {
      const row = this.#nextQuarter.get(number, from) as { quarter: number | null }
      return row.quarter ?? []
    })
    return next.length === 0 ? undefined : Math.min(...next) * QUARTER_MS
  }

  /** What moved the balance from one quarter of an hour to another. */
  movements(accountId: string, fromMs: number, toMs: number): AccountMonth {
    const [start, end] = [quarterOf(fromMs), quarterOf(toMs)]
    const numbers = this.#matching({ accountId }).map(({ number }) => number)
    const usedBefore = numbers.map((number) => this.#totalBefore(number, start))
    const usedAfter = numbers.map((number) => this.#totalBefore(number, end))
    const before = this.#movedBefore(accountId, start)
    const after = this.#movedBefore(accountId, end)
    const used = sumOf(usedAfter.map((total, i) => differenceAt(usedBefore, i, total)))
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
    return (this.#countSeries.get(accountId) as { count: number }).count
  }

  key(keyId: string): KeyUsage | undefined {
    const stored = this.#key.get(keyId) as StoredKey | undefined
    return stored === undefined ? undefined : this.#keyUsage(stored)
  }

  /** Oldest first. */
  keys(accountId: string): readonly KeyUsage[] {
    const rows = this.#keysOf.all(accountId) as unknown as StoredKey[]
    return rows.map((row) => this.#keyUsage(row))
  }

  #matching({ accountId, ...filter }: SeriesFilter): readonly StoredSeries[] {
    const rows = this.#series.all(accountId) as unknown as StoredSeries[]
    return rows.filter((row) => matches(row, filter))
  }

  #totalBefore(number: number, quarter: number): UsageTotal {
    const row = this.#usageBefore.get(number, quarter) as StoredUsage | undefined
    return row === undefined ? emptyUsage(number) : readUsage(row)
  }

  #movedBefore(accountId: string, quarter: number): MovementTotal {
    const row = this.#movementsBefore.get(accountId, quarter) as StoredMovements | undefined
    return row === undefined ? emptyMovements(accountId) : readMovements(row)
  }

  /**
   * Calls back for every step of a series in which something was used, and for no other: where two
   * totals are the same, nothing between them is looked at.
   */
  #eachUsedStep(
    number: number,
    quarters: readonly number[],
    found: (step: number, used: UsedTokens) => void,
  ): UsedTokens {
    const first = this.#totalBefore(number, quarters[0] ?? 0)
    const last = this.#totalBefore(number, quarters.at(-1) ?? 0)
    const divide = (from: number, to: number, before: UsageTotal, after: UsageTotal): void => {
      if (before.requests === after.requests) return
      if (to - from === 1) {
        found(from, difference(before, after))
        return
      }
      const middle = Math.floor((from + to) / 2)
      const between = this.#totalBefore(number, quarters[middle] ?? 0)
      divide(from, middle, before, between)
      divide(middle, to, between, after)
    }
    divide(0, quarters.length - 1, first, last)
    return difference(first, last)
  }

  #keyUsage(stored: StoredKey): KeyUsage {
    const key = readKey(stored)
    const rows = this.#lastOfKey.all(key.accountId, key.keyId) as unknown as StoredUsage[]
    const totals = rows.map(readUsage)
    const used = totals.map((total) => difference(emptyUsage(total.series), total))
    const lastUsedAt = Math.max(0, ...totals.map((total) => total.lastUsedAt))
    return { ...key, ...sumOf(used), lastUsedAt: lastUsedAt === 0 ? null : lastUsedAt }
  }
}

/** @throws {RangeError} for a time that is not on a quarter of an hour */
function quarterOf(timeMs: number): number {
  if (timeMs % QUARTER_MS === 0) return timeMs / QUARTER_MS
  throw new RangeError(`${timeMs} is not on a quarter of an hour`)
}

function matches(
  row: StoredSeries,
  { keyId, model, format }: Pick<UsageQuery, 'keyId' | 'model' | 'format'>,
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

function difference(before: UsageTotal, after: UsageTotal): UsedTokens {
  const inputAmount = after.inputAmount - before.inputAmount
  const cachedInputAmount = after.cachedInputAmount - before.cachedInputAmount
  const outputAmount = after.outputAmount - before.outputAmount
  return {
    requests: after.requests - before.requests,
    inputTokens: after.inputTokens - before.inputTokens,
    cachedInputTokens: after.cachedInputTokens - before.cachedInputTokens,
    outputTokens: after.outputTokens - before.outputTokens,
    inputAmount,
    cachedInputAmount,
    outputAmount,
    amount: inputAmount + cachedInputAmount + outputAmount,
  }
}

function differenceAt(before: readonly UsageTotal[], index: number, after: UsageTotal): UsedTokens {
  return difference(before[index] ?? emptyUsage(after.series), after)
}

function sumOf(parts: readonly UsedTokens[]): UsedTokens {
  const sum = (of: (part: UsedTokens) => number) => parts.reduce((total, p) => total + of(p), 0)
  const money = (of: (part: UsedTokens) => bigint) => parts.reduce((total, p) => total + of(p), 0n)
  return {
    requests: sum((part) => part.requests),
    inputTokens: sum((part) => part.inputTokens),
    cachedInputTokens: sum((part) => part.cachedInputTokens),
    outputTokens: sum((part) => part.outputTokens),
    inputAmount: money((part) => part.inputAmount),
    cachedInputAmount: money((part) => part.cachedInputAmount),
    outputAmount: money((part) => part.outputAmount),
    amount: money((part) => part.amount),
  }
}

/** The balance after the latest of the movements, which the revision tells. */
function balanceOf(rows: readonly { revision: number; balance: string }[]): bigint {
  const latest = rows.reduce((a, b) => (b.revision > a.revision ? b : a))
  return BigInt(latest.balance)
}
