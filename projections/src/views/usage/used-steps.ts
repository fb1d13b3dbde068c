/** What was used in each step of a period, from the totals at its edges. */
import { QUARTER_MS } from '@svc/contracts/zone'
import type { Select } from '../../projection/select.ts'
import type { UsedTokens } from '../rows/usage-rows.ts'
import { NOTHING_USED, readColumns, type UsedColumns, usedBetween } from './used.ts'

/** Tells what was used before a quarter. */
export type UsedBefore = (quarter: number | undefined) => UsedColumns

/** The statement that {@link totalsBefore} takes, with its rows as arrays. */
export function lastBefore(
  table: 'usage' | 'account_usage' | 'ended_totals',
  column: string,
): string {
  return `
    SELECT requests, input_tokens, cached_input_tokens, output_tokens,
      input_amount, cached_input_amount, output_amount
    FROM ${table} WHERE ${column} = ? AND quarter < ? ORDER BY quarter DESC LIMIT 1`
}

export function totalsBefore(select: Select<UsedColumns>, of: number | string): UsedBefore {
  return (quarter) => select.get(of, quarter ?? 0) ?? NOTHING_USED
}

/**
 * Calls back for every step in which something was used, and for no other, in their order: where
 * two totals are the same, nothing between them is looked at.
 *
 * @returns what was used in all of them
 */
export function eachUsedStep(
  usedBefore: UsedBefore,
  quarters: readonly number[],
  found: (step: number, used: UsedTokens) => void,
): UsedTokens {
  const first = usedBefore(quarters[0])
  const last = usedBefore(quarters.at(-1))
  const divide = (from: number, to: number, before: UsedColumns, after: UsedColumns): void => {
    const [requestsBefore] = before
    const [requestsAfter] = after
    if (requestsBefore === requestsAfter) return
    if (to - from === 1) {
      found(from, between(before, after))
      return
    }
    const middle = Math.floor((from + to) / 2)
    const halfway = usedBefore(quarters[middle])
    divide(from, middle, before, halfway)
    divide(middle, to, halfway, after)
  }
  divide(0, quarters.length - 1, first, last)
  return between(first, last)
}

/** @throws {RangeError} for a time that is not on a quarter of an hour */
export function quarterOf(timeMs: number): number {
  if (timeMs % QUARTER_MS === 0) return timeMs / QUARTER_MS
  throw new RangeError(`${timeMs} is not on a quarter of an hour`)
}

/** Tells what was used from one quarter to another. @param to undefined: to the end */
export function usedFromTo(
  usedBefore: UsedBefore,
  from: number,
  to = Number.MAX_SAFE_INTEGER,
): UsedTokens {
  return between(usedBefore(from), usedBefore(to))
}

function between(before: UsedColumns, after: UsedColumns): UsedTokens {
  return usedBetween(readColumns(before), readColumns(after))
}
