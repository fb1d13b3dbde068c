/** The last thirty days, as lists show what was spent in them. */
const DAY_MS = 86_400_000
const DAYS = 30

/**
 * The period of today and the 29 days before it, UTC.
 * @param nowMs milliseconds since 1970, as both edges are
 */
export function lastThirtyDays(nowMs: number): readonly [from: number, to: number] {
  const to = (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS
  return [to - DAYS * DAY_MS, to]
}
