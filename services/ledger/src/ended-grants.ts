/**
 * Finds accounts with expired credit, in a view of all grants in the order of their expiry. Each
 * look reads from two places:
 *
 *     newest   the grants that have expired since the last look, so that they are written off soon
 *              however many grants there ever were
 *     round    one page of all the earlier ones, and after the last page the first again. It finds
 *              credit that a request held when it expired, that a refund gave back since, or that
 *              the view showed late
 *
 * The view may be behind, and show credit that is spent. That does no harm, because the ledger
 * decides.
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
  /** The place to pass as `after` for the next page; undefined on the last. */
  readonly next: Place | undefined
}

export interface EndedGrantsQuery {
  /** Only grants that expire before this moment, in milliseconds since 1970. */
  readonly endsBefore: number
  readonly after?: Place | undefined
  readonly limit: number
}

/** Finds one page of ended grants, by expiry. A page that is not the last can be short or empty. */
export type FindEndedGrants = (
  query: EndedGrantsQuery,
) => EndedGrantsPage | Promise<EndedGrantsPage>

const ROWS_PER_PAGE = 1_000
/** Bounds one look: a page takes some milliseconds of the view, also when all of it is spent. */
const PAGES_PER_LOOK = 20

export class EndedGrants {
  readonly #find: FindEndedGrants
  #newest: Place | undefined
  #round: Place | undefined

  constructor(find: FindEndedGrants) {
    this.#find = find
  }

  /** @returns ids of accounts, each once. When there are very many, later looks find the rest */
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
    return this.#find({ endsBefore, after, limit: ROWS_PER_PAGE })
  }
}
