/**
 * The time of every account's last movement. Times of an account never go back in its views: with
 * several gateways, and so several clocks, an event may be older than the one before it, and then
 * takes the time of that one.
 */
import type { DatabaseSync } from 'node:sqlite'
import { type SelectOne, selectOne } from '../../projection/select.ts'

/** How many clocks stay in memory: about 2 MB. */
const CLOCKS_KEPT = 10_000

/** The last time of an account; null when nothing has happened yet. */
interface LastTime {
  readonly at: number | null
}

export class AccountClocks {
  readonly #select: SelectOne<LastTime>
  readonly #times = new Map<string, number>()

  constructor(database: DatabaseSync) {
    this.#select = selectOne(
      database,
      `
      SELECT max(at) AS at FROM (
        SELECT (SELECT at FROM usage WHERE series = number ORDER BY quarter DESC LIMIT 1) AS at
        FROM series WHERE account_id = :account
        UNION ALL
        SELECT max(at) FROM movements WHERE account_id = :account
      )`,
    )
  }

  advance(accountId: string, at: number): number {
    const last = this.#times.get(accountId) ?? this.#stored(accountId)
    const time = Math.max(last, at)
    this.#times.set(accountId, time)
    return time
  }

  /** Forgets the times when there are too many: after a flush the tables have them. */
  flush(): readonly [] {
    if (this.#times.size > CLOCKS_KEPT) this.clear()
    return []
  }

  clear(): void {
    this.#times.clear()
  }

  #stored(accountId: string): number {
    return this.#select.get({ account: accountId }).at ?? 0
  }
}
