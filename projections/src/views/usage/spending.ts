/**
 * What accounts spent in a period: for lists of all of them, that are asked for again and again
 * with the same beginning. What an account had used before it stays as it is once the account has
 * used something since, for its rows follow its own clock: so that is looked up once.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { PicoDollars } from '@svc/contracts/money'

/** Some 10 MB. */
const REMEMBERED_MAX = 100_000

interface UsedUpTo {
  /** Of the last use. */
  readonly quarter: number
  readonly amount: PicoDollars
}

export class Spending {
  readonly #select: StatementSync
  #from = 0
  readonly #usedBefore = new Map<string, PicoDollars>()

  constructor(database: DatabaseSync) {
    // One look into an index for each account.
    this.#select = database.prepare(`
      SELECT (SELECT quarter || ' ' || input_amount || ' ' || cached_input_amount || ' ' ||
          output_amount
        FROM account_usage WHERE account_id = asked.value AND quarter < :quarter
        ORDER BY quarter DESC LIMIT 1)
      FROM json_each(:accountIds) AS asked ORDER BY asked.id`)
    this.#select.setReturnArrays(true)
  }

  /**
   * In the order of the accounts.
   *
   * @param from a quarter of an hour since 1970, as `to` is
   */
  of(accountIds: readonly string[], from: number, to: number): readonly PicoDollars[] {
    if (from !== this.#from || this.#usedBefore.size > REMEMBERED_MAX) this.#usedBefore.clear()
    this.#from = from
    const usedAfter = this.#usedUpTo(accountIds, to)
    const hasUsed = (index: number) => (usedAfter[index]?.quarter ?? 0) >= from
    const isUnknown = (id: string, index: number) => hasUsed(index) && !this.#usedBefore.has(id)
    const unknown = accountIds.filter(isUnknown)
    const read = unknown.length === 0 ? [] : this.#usedUpTo(unknown, from)
    for (const [index, id] of unknown.entries()) {
      this.#usedBefore.set(id, read[index]?.amount ?? 0n)
    }
    return accountIds.map((id, index) =>
      hasUsed(index) ? (usedAfter[index]?.amount ?? 0n) - (this.#usedBefore.get(id) ?? 0n) : 0n,
    )
  }

  #usedUpTo(accountIds: readonly string[], quarter: number): readonly (UsedUpTo | undefined)[] {
    const rows = this.#select.all({ accountIds: JSON.stringify(accountIds), quarter })
    return (rows as unknown as (readonly [string | null])[]).map(([text]) =>
      text === null ? undefined : usedUpTo(text),
    )
  }
}

function usedUpTo(text: string): UsedUpTo {
  const [quarter = 0, input = '0', cachedInput = '0', output = '0'] = text.split(' ')
  const amount = BigInt(input) + BigInt(cachedInput) + BigInt(output)
  return { quarter: Number(quarter), amount }
}
