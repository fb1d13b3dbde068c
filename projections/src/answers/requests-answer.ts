/** A page of an account's requests, each made of its own events. */
import { cursorPlace, cursorText } from '@svc/contracts/cursor'
import { viewBehind } from '@svc/contracts/errors'
import { idTimeMs } from '@svc/contracts/ids'
import { formatExact } from '@svc/contracts/money'
import type {
  RequestsAnswer,
  RequestsQueryFields,
  RequestTotalsQueryFields,
} from '@svc/contracts/wire/requests'
import type { RequestRow, RequestsQuery } from '../views/rows/request-rows.ts'
import type { Views } from '../views/views.ts'
import { checkAskedKey } from './asked-key.ts'
import { readPeriod } from './asked-period.ts'
import { receiptOf } from './receipt.ts'

export type RequestListViews = Pick<Views, 'requestIds' | 'request' | 'keys' | 'key'>

/**
 * Resolves when the view of requests holds all that has happened to the account.
 *
 * @throws {ServiceError} `view_behind`
 */
export type CatchUp = () => Promise<unknown>

/**
 * @throws {ServiceError} `invalid_value`, or `not_found` for the key, that names the field;
 *   `view_behind`; what `catchUp`
 *   throws, which is called only when it is needed
 */
export async function requestsPage(
  views: RequestListViews,
  accountId: string,
  fields: RequestsQueryFields,
  catchUp: CatchUp,
): Promise<RequestsAnswer> {
  const { cursor, limit, ...asked } = fields
  const list = ['requests', accountId, asked]
  const before = cursor === undefined ? undefined : cursorPlace(list, cursor)
  // The query asks for one more than the customer did: only then it is known that more follow.
  const query = { ...requestsQueryOf(views, accountId, asked), before, limit: limit + 1 }
  const ids = views.requestIds(query)
  const shown = ids.slice(0, limit)
  const names = new Map(views.keys(accountId).map(({ keyId, name }) => [keyId, name] as const))
  const rows = await rowsOf(views, shown, catchUp)
  const last = shown.at(-1)
  const hasMore = ids.length > limit && last !== undefined
  return {
    object: 'list',
    data: rows.map((row) => summaryOf(row, names)),
    has_more: hasMore,
    next_cursor: hasMore ? cursorText(list, last) : null,
  }
}

/**
 * The ids are from the view of usage, which can be ahead of that of requests by what has just come
 * in.
 */
async function rowsOf(
  views: Pick<Views, 'request'>,
  ids: readonly string[],
  catchUp: CatchUp,
): Promise<readonly RequestRow[]> {
  const found = await Promise.all(ids.map((id) => views.request(id)))
  if (found.includes(undefined)) await catchUp()
  return Promise.all(
    ids.map(async (id, index) => {
      const row = found[index] ?? (await views.request(id))
      // Another gateway accepted it, of which whoever was asked to catch up knows nothing yet.
      if (row === undefined) throw viewBehind()
      return row
    }),
  )
}

/**
 * The list that is asked for, as the views are asked for it.
 *
 * @throws {ServiceError} `invalid_value`, or `not_found` for the key, that names the field
 */
export function requestsQueryOf(
  views: Pick<Views, 'key'>,
  accountId: string,
  asked: RequestTotalsQueryFields,
): Omit<RequestsQuery, 'before' | 'limit'> {
  const { key_id: keyId, model, format, status } = asked
  checkAskedKey(views, accountId, keyId)
  return {
    accountId,
    ...readPeriod(asked),
    keyId,
    model,
    format,
    status,
  }
}

function summaryOf(
  row: RequestRow,
  names: ReadonlyMap<string, string>,
): RequestsAnswer['data'][number] {
  const keyName = names.get(row.keyId) ?? null
  const receipt = receiptOf(row, keyName, [])
  const { id, status, model, format, usage, finish_reason, reason, timings } = receipt
  return {
    object: 'request',
    id,
    status,
    key: { id: row.keyId, name: keyName },
    model,
    format,
    usage,
    price_version: row.price.version,
    amount: formatExact(row.amount),
    refunded: receipt.refunded,
    created_at: new Date(idTimeMs(row.requestId)).toISOString(),
    ended_at: timings.ended_at,
    finish_reason,
    reason,
    first_token_ms: timings.worker?.firstTokenMs ?? null,
    total_ms: timings.worker?.totalMs ?? null,
  }
}
