import type { DatabaseSync } from 'node:sqlite'
import { select } from '../../projection/select.ts'
import type { Statement, StatementQuery } from '../rows/statement-rows.ts'
import { readEntry, type StoredEntry } from './tables.ts'

/** Climbs from an entry up to the first that is wanted, with what the terms of usage say. */
const CLIMB = `
  WITH RECURSIVE climbed (number, above, entry) AS (
    SELECT number, above, entry FROM entries WHERE number = :start
    UNION ALL
    SELECT entries.number, entries.above, entries.entry
    FROM climbed JOIN entries ON entries.number = climbed.above
    WHERE climbed.entry > :first
  )
  SELECT entries.*, terms.key_id, key_names.name AS key_name, model, format, price_version
  FROM climbed JOIN entries ON entries.number = climbed.number
    LEFT JOIN terms ON terms.number = entries.terms
    LEFT JOIN key_names ON key_names.key_id = terms.key_id
  WHERE climbed.entry <= :last ORDER BY climbed.entry`

export interface StatementQueries {
  /** Reads one page of an account's statement. Opening and closing are those of the page. */
  statement(query: StatementQuery): Statement
}

export function statementQueries(database: DatabaseSync): StatementQueries {
  const head = select<{ number: number; entry: number }>(
    database,
    'SELECT number, entry FROM heads WHERE account_id = ?',
  )
  const sixteenthAtOrBelow = select<{ number: number }>(
    database,
    `
    SELECT number FROM entries WHERE account_id = ? AND entry >= ? AND entry % 16 = 0
    ORDER BY entry LIMIT 1`,
  )
  const climb = select<StoredEntry>(database, CLIMB)

  function lastEntryOf(accountId: string): number {
    return head.get(accountId)?.entry ?? 0
  }

  /** Entries from the first to the last one, both included and both there. */
  function entriesBetween(accountId: string, first: number, last: number): readonly StoredEntry[] {
    if (last < first) return []
    const below = sixteenthAtOrBelow.get(accountId, last) ?? head.get(accountId)
    if (below === undefined) throw new Error(`the statement of ${accountId} has no entry ${last}`)
    return climb.all({ start: below.number, first, last })
  }

  /**
   * Finds the last entry before a moment, or 0. Entries are dense and their times never go back, so
   * it is found by halving: no index on the time is needed, which every insert would have to pay
   * for.
   */
  function lastBefore(accountId: string, timeMs: number, lastEntry: number): number {
    let before = 0
    let notBefore = lastEntry + 1
    while (notBefore - before > 1) {
      const middle = Math.floor((before + notBefore) / 2)
      const [entry] = entriesBetween(accountId, middle, middle)
      if (entry !== undefined && entry.at < timeMs) before = middle
      else notBefore = middle
    }
    return before
  }

  function balanceAfter(accountId: string, entry: number): bigint {
    const [stored] = entry === 0 ? [] : entriesBetween(accountId, entry, entry)
    return BigInt(stored?.balance ?? 0)
  }

  return {
    statement({ accountId, from, to, ...page }) {
      const lastEntry = lastEntryOf(accountId)
      const start = from === undefined ? 0 : lastBefore(accountId, from, lastEntry)
      const end = to === undefined ? lastEntry : lastBefore(accountId, to, lastEntry)
      const { behind, last, more } = stretchOf({ start, end: Math.max(start, end) }, page)
      const rows = entriesBetween(accountId, behind + 1, last).map(readEntry)
      const opening = balanceAfter(accountId, behind)
      const closing = rows.at(-1)?.balance ?? opening
      return { opening, closing, rows: page.order === 'newest' ? rows.toReversed() : rows, more }
    },
  }
}

interface Period {
  /** The last entry before the period. */
  readonly start: number
  /** The last entry in it; the one before it, where it has none. */
  readonly end: number
}

interface Stretch {
  /** The entry below the lowest of the page. */
  readonly behind: number
  /** The highest of the page. */
  readonly last: number
  readonly more: boolean
}

/** The entries of a page: those behind one, up to another, whichever of them is shown first. */
function stretchOf(
  { start, end }: Period,
  { order, after, limit }: Pick<StatementQuery, 'order' | 'after' | 'limit'>,
): Stretch {
  if (order === 'newest') {
    const last = Math.max(start, Math.min(end, (after ?? end + 1) - 1))
    const behind = Math.max(start, last - limit)
    return { behind, last, more: behind > start }
  }
  const behind = Math.min(Math.max(start, after ?? 0), end)
  const last = Math.min(end, behind + limit)
  return { behind, last, more: last < end }
}
