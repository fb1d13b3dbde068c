/**
 * Finds accounts with credit that is past its time, in a view of all grants by their end.
 *
 *     newest   what has ended since the last look: soon booked, however many grants there ever were
 *     round    all that ended before, a page at each look, and then from the start again: what a
 *              request held at its end, what a refund gave back since, what the view showed late
 *
 * The view may be behind, and show credit that is spent. That does no harm: the ledger decides.
 */

/** A grant with something left, as the view shows it. */
export interface EndedGrant {
  readonly accountId: string
  readonly grantId: string
  readonly expiresAt: number | null
}

type Place = Pick<EndedGrant, 'grantId' | 'expiresAt'>

export interface EndedGrantsPage {
  readonly rows: readonly EndedGrant[]
  /** Where the next page goes on; undefined on the last one. A page can end early. */
  readonly next: Place | undefined
}

export interface EndedGrantsQuery {
  /** Only those that end before this moment, in milliseconds since 1970. */
  readonly endsBefore: number
  readonly after?: Place
  readonly limit: number
}

/** The one that ended first comes first. */
export type FindEndedGrants = (
  query: EndedGrantsQuery,
) => EndedGrantsPage | Promise<EndedGrantsPage>

const ROWS_PER_PAGE = 1_000
/** A page is some milliseconds of the view, also where all that it looks at is spent. */
const PAGES_PER_LOOK = 20

export class EndedGrants {
  readonly #find: FindEndedGrants
  #newest: Place | undefined
  #round: Place | undefined

  constructor(find: FindEndedGrants) {
    this.#find = find
  }

  /** @returns ids of accounts, each once; what is left out of many, the next looks find */
  async look(nowMs: number): Promise<readonly string[]> {
    const endsBefore = nowMs + 1
    const round = await this.#page(endsBefore, this.#round)
    this.#round = round.next
    const rows = [...round.rows]
    for (let pages = 0; pages < PAGES_PER_LOOK && rows.length < 2 * ROWS_PER_PAGE; pages += 1) {
      const page = await this.#page(endsBefore, this.#newest)
      this.#newest = page.next ?? { expiresAt: endsBefore, grantId: '' }
      rows.push(...page.rows)
      if (page.next === undefined) break
    }
    return [...new Set(rows.map(({ accountId }) => accountId))]
  }

  #page(endsBefore: number, after: Place | undefined): EndedGrantsPage | Promise<EndedGrantsPage> {
    const place = after === undefined ? {} : { after }
    return this.#find({ endsBefore, ...place, limit: ROWS_PER_PAGE })
  }
}
