import type { DatabaseSync } from 'node:sqlite'
import type { RequestRow } from '../../views.ts'
import type { RequestState } from './project.ts'
import { readRequest, type StoredRequest } from './tables.ts'

export interface RequestsQueries {
  request(requestId: string): RequestRow | undefined
  /** Requests without an end, oldest first. */
  runningRequests(limit: number): readonly RequestRow[]
}

export function requestsQueries(database: DatabaseSync): RequestsQueries {
  const one = database.prepare('SELECT * FROM requests WHERE request_id = ?')
  const running = database.prepare(`
    SELECT * FROM requests WHERE status = 'running' ORDER BY accepted_at, request_id LIMIT ?`)
  return {
    request(requestId) {
      const row = one.get(requestId) as StoredRequest | undefined
      return row === undefined ? undefined : shown(readRequest(row))
    },
    runningRequests: (limit) =>
      (running.all(limit) as unknown as StoredRequest[]).map((row) => shown(readRequest(row))),
  }
}

/** Stored money to money. */
function shown(request: RequestState): RequestRow {
  const { price } = request
  return {
    ...request,
    price: {
      version: price.version,
      input: BigInt(price.input),
      cachedInput: BigInt(price.cachedInput),
      output: BigInt(price.output),
    },
    hold: BigInt(request.hold),
    lines: request.lines.map((line) => ({
      ...line,
      price: BigInt(line.price),
      amount: BigInt(line.amount),
    })),
    amount: BigInt(request.amount),
    slices: request.slices.map(({ grantId, amount }) => ({ grantId, amount: BigInt(amount) })),
    balanceAfter: request.balanceAfter === null ? null : BigInt(request.balanceAfter),
  }
}
