/**
 * Requests of an account, the newest first, by key, model, format, status and time.
 *
 * There is a list for every series and status, each in the order of time. A page takes the newest
 * of all of them, again and again: it looks once into each list and once more for every request,
 * however many there are.
 */
import type { DatabaseSync } from 'node:sqlite'
import { requestIdFloor } from '@svc/contracts/ids'
import { type Select, type SelectOne, select, selectOne } from '../../projection/select.ts'
import type { RequestsQuery } from '../rows/request-rows.ts'
import { endedStatuses } from './project.ts'
import { statusNumber } from './tables.ts'

/** A list, and where it was looked at last. */
interface List {
  next(before: string): string | undefined
  newest: string | undefined
}

/** The newest id; null when the list has none before. */
interface NewestId {
  readonly id: string | null
}

export class RequestLists {
  readonly #series: ReturnType<typeof seriesThatFit>
  readonly #ended: SelectOne<NewestId>
  readonly #running: Select<{ id: string }>

  constructor(database: DatabaseSync) {
    this.#series = seriesThatFit(database)
    this.#ended = selectOne(
      database,
      'SELECT max(request_id) AS id FROM ended WHERE series = ? AND status = ? AND request_id < ?',
    )
    this.#running = select(
      database,
      'SELECT request_id AS id FROM running WHERE series = ? ORDER BY request_id DESC',
    )
  }

  /** Ids of requests, the newest first, at most as many as the limit. */
  requests(query: RequestsQuery): readonly string[] {
    const { from, to, before, limit } = query
    const lowest = requestIdFloor(from ?? 0)
    const end = to === undefined ? 'req_~' : requestIdFloor(to)
    const start = before !== undefined && before < end ? before : end
    const lists = this.#listsOf(query)
    for (const list of lists) list.newest = list.next(start)
    const found: string[] = []
    while (found.length < limit) {
      const list = newestOf(lists)
      if (list?.newest === undefined || list.newest < lowest) return found
      found.push(list.newest)
      list.newest = list.next(list.newest)
    }
    return found
  }

  #listsOf({ status, ...asked }: RequestsQuery): List[] {
    const statuses = endedStatuses.filter((each) => status === undefined || status === each)
    return this.#series(asked).flatMap((number) => [
      ...statuses.map((each) => this.#endedList(number, statusNumber(each))),
      ...(status === undefined || status === 'running' ? [this.#runningList(number)] : []),
    ])
  }

  #endedList(series: number, status: number): List {
    const next = (before: string) => {
      return this.#ended.get(series, status, before).id ?? undefined
    }
    return { next, newest: undefined }
  }

  /** The list of running requests. There are only few of them, in all accounts together. */
  #runningList(series: number): List {
    const ids = this.#running.all(series).map(({ id }) => id)
    return { next: (before) => ids.find((id) => id < before), newest: undefined }
  }
}

type Asked = Pick<RequestsQuery, 'accountId' | 'keyId' | 'model' | 'format'>

/** The question for the numbers of an account's series that fit. */
export function seriesThatFit(database: DatabaseSync): (asked: Asked) => readonly number[] {
  const fitting = select<{ number: number }>(
    database,
    `
    SELECT number FROM series WHERE account_id = :accountId
      AND (:keyId IS NULL OR key_id = :keyId) AND (:model IS NULL OR model = :model)
      AND (:format IS NULL OR format = :format)`,
  )
  return ({ accountId, keyId = null, model = null, format = null }) => {
    const rows = fitting.all({ accountId, keyId, model, format })
    return rows.map(({ number }) => number)
  }
}

function newestOf(lists: readonly List[]): List | undefined {
  let newest: List | undefined
  for (const list of lists) {
    if (list.newest === undefined) continue
    if (newest?.newest === undefined || list.newest > newest.newest) newest = list
  }
  return newest
}
