/**
 * What accounts spent since a moment: for lists of all of them, that are asked for again and again
 * with the same beginning.
 *
 * It is all that was ever debited, which stands beside the balance, less what an account had used
 * before. That stays as it is once the account has used something since, for its rows follow its
 * own clock: so it is looked up once, and the next list looks nothing up.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { PicoDollars } from '@svc/contracts/money'
import { type Select, selectArrays } from '../../projection/select.ts'
import type { DebitedAccount } from '../rows/account-rows.ts'

/** Some 10 MB. */
const REMEMBERED_MAX = 100_000

export class Spending {
  readonly #select: Select<readonly [amounts: string | null]>
  #from = 0
  readonly #usedBefore = new Map<string, PicoDollars>()

  constructor(database: DatabaseSync) {
    // The statement takes one look into an index for each account.
    this.#select = selectArrays(
      database,
      `
      SELECT (SELECT input_amount || ' ' || cached_input_amount || ' ' || output_amount
        FROM account_usage WHERE account_id = asked.value AND quarter < :quarter
        ORDER BY quarter DESC LIMIT 1)
      FROM json_each(:accountIds) AS asked ORDER BY asked.id`,
    )
  }

  /**
   * Tells what accounts spent, in their order.
   *
   * @param from a quarter of an hour since 1970
   */
  since(accounts: readonly DebitedAccount[], from: number): readonly PicoDollars[] {
    if (from !== this.#from || this.#usedBefore.size > REMEMBERED_MAX) this.#usedBefore.clear()
    this.#from = from
    const unknown = accounts.filter(
      ({ accountId, debitedTotal }) => debitedTotal > 0n && !this.#usedBefore.has(accountId),
    )
    const read = new Map(this.#readBefore(unknown, from))
    return accounts.map(({ accountId, debitedTotal }) => {
      const before = this.#usedBefore.get(accountId) ?? read.get(accountId) ?? 0n
      const spent = debitedTotal - before
      if (spent > 0n) this.#usedBefore.set(accountId, before)
      return spent
    })
  }

  #readBefore(
    accounts: readonly DebitedAccount[],
    quarter: number,
  ): readonly (readonly [accountId: string, used: PicoDollars])[] {
    if (accounts.length === 0) return []
    const accountIds = JSON.stringify(accounts.map(({ accountId }) => accountId))
    return this.#select
      .all({ accountIds, quarter })
      .map(([amounts], index) => [
        accounts[index]?.accountId ?? '',
        amounts === null ? 0n : amounts.split(' ').reduce((sum, each) => sum + BigInt(each), 0n),
      ])
  }
}
