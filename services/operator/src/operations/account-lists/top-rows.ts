/** The first of many accounts by a rank, with no more of them in memory than are asked for. */

export interface Ranked {
  readonly accountId: string
  /** The highest comes first; of the same rank, the account that comes later by its id. */
  readonly rank: bigint
}

export class TopRows {
  readonly #limit: number
  readonly #behind: Ranked | undefined
  #top: Ranked[] = []

  /** @param behind the last account of the page before, as it ranks now */
  constructor(limit: number, behind: Ranked | undefined) {
    this.#limit = limit
    this.#behind = behind
  }

  add(some: readonly Ranked[]): void {
    const behind = this.#behind
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

function inOrder(one: Ranked, other: Ranked): number {
  if (one.rank !== other.rank) return one.rank > other.rank ? -1 : 1
  if (one.accountId === other.accountId) return 0
  return one.accountId > other.accountId ? -1 : 1
}
