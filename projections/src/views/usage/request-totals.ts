/**
 * What all requests of an account come to that a list shows, by what became of them: of each series
 * and status the difference of two totals, however many requests lie between them.
 */
import type { DatabaseSync } from 'node:sqlite'
import { requestIdFloor } from '@svc/contracts/ids'
import { type Select, type SelectOne, selectArrays, selectOne } from '../../projection/select.ts'
import type { RequestTotal, RequestTotalsQuery } from '../rows/request-rows.ts'
import { listOf } from './ended-totals.ts'
import { endedStatuses } from './project.ts'
import { seriesThatFit } from './request-lists.ts'
import { nothingUsed, sumOfUsed, type UsedColumns, usedBetween } from './used.ts'
import { lastBefore, quarterOf, totalsBefore, usedFromTo } from './used-steps.ts'

const NOTHING = usedBetween(nothingUsed(), nothingUsed())
/** A text that is greater than every id of a request. */
const BEHIND_ALL = 'req_~'

export class RequestTotals {
  readonly #series: ReturnType<typeof seriesThatFit>
  readonly #usedBefore: Select<UsedColumns>
  readonly #running: SelectOne<{ count: number }>

  constructor(database: DatabaseSync) {
    this.#series = seriesThatFit(database)
    this.#usedBefore = selectArrays(database, lastBefore('ended_totals', 'list'))
    this.#running = selectOne(
      database,
      `SELECT count(*) AS count FROM running
       WHERE series = ? AND request_id >= ? AND request_id < ?`,
    )
  }

  /** The totals that there are, in the order of their names' declaration. */
  totals(query: RequestTotalsQuery): readonly RequestTotal[] {
    const series = this.#series(query)
    const all = [this.#runningOf(series, query), ...this.#endedOf(series, query)]
    return all.filter(({ requests }) => requests > 0)
  }

  #endedOf(
    series: readonly number[],
    { from = 0, to }: RequestTotalsQuery,
  ): readonly RequestTotal[] {
    const end = to === undefined ? undefined : quarterOf(to)
    return endedStatuses.map((status) => {
      const used = series.map((number) =>
        usedFromTo(totalsBefore(this.#usedBefore, listOf(number, status)), quarterOf(from), end),
      )
      return { status, ...sumOfUsed(used) }
    })
  }

  /** Nothing is charged yet. Only few run, in all accounts together. */
  #runningOf(series: readonly number[], { from, to }: RequestTotalsQuery): RequestTotal {
    const first = requestIdFloor(from ?? 0)
    const end = to === undefined ? BEHIND_ALL : requestIdFloor(to)
    const counts = series.map((number) => this.#running.get(number, first, end).count)
    const requests = counts.reduce((sum, count) => sum + count, 0)
    return { status: 'running', ...NOTHING, requests }
  }
}
