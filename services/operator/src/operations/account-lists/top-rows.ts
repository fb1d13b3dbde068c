/** The first of many accounts by a rank, with no more of them in memory than are asked for. */

export interface Ranked<Rank> {
  readonly accountId: string
  /**
   * The rank of the account. Of the same rank, the account that was opened later, and so has the
   * higher id, comes first.
   */
  readonly rank: Rank
}

/** @returns below 0 when the first rank comes first */
export type RankOrder<Rank> = (one: Rank, other: Rank) => number

export const mostFirst: RankOrder<bigint> = (one, other) =>
  one === other ? 0 : one > other ? -1 : 1

export class TopRows<Rank> {
  readonly #limit: number
  readonly #inOrder: (one: Ranked<Rank>, other: Ranked<Rank>) => number
  readonly #behind: Ranked<Rank> | undefined
  #top: Ranked<Rank>[] = []

  /** @param behind the last account of the page before, as it ranks now */
  constructor(limit: number, order: RankOrder<Rank>, behind: Ranked<Rank> | undefined) {
    this.#limit = limit
    this.#behind = behind
    this.#inOrder = (one, other) => order(one.rank, other.rank) || laterFirst(one, other)
  }

  add(some: readonly Ranked<Rank>[]): void {
    const behind = this.#behind
    const inOrder = this.#inOrder
    const last = this.#top.length < this.#limit ? undefined : this.#top.at(-1)
    const fitting = some.filter(
      (each) =>
        (behind === undefined || inOrder(behind, each) < 0) &&
        (last === undefined || inOrder(each, last) < 0),
    )
    if (fitting.length === 0) return
    this.#top = [...this.#top, ...fitting].sort(inOrder).slice(0, this.#limit)
  }

  accountIds(): readonly string[] {
    return this.#top.map(({ accountId }) => accountId)
  }
}

function laterFirst(one: Ranked<unknown>, other: Ranked<unknown>): number {
  if (one.accountId === other.accountId) return 0
  return one.accountId > other.accountId ? -1 : 1
}
