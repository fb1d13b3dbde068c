/** One request of the caller's account, by the id that its answer named. */
import { ServiceError } from '@svc/contracts/errors'
import { requestIdOf } from '@svc/contracts/ids'
import type { RequestRow, Views } from '@svc/projections/views'
import { type OwnViews, viewHolds } from './own-views.ts'

export interface OwnRequestPorts extends OwnViews {
  readonly views: Pick<Views, 'request'>
}

/**
 * Finds a request of the account. The refusal of a request that never was and of somebody else's
 * is the same, so that nobody learns which ids exist.
 *
 * @throws {ServiceError} `not_found`, `view_behind`
 */
export async function ownRequest(
  ports: OwnRequestPorts,
  accountId: string,
  id: string,
): Promise<RequestRow> {
  const requestId = requestIdOf(id)
  if (requestId === undefined) throw notFound()
  await viewHolds(ports, 'requests', accountId)
  const row = await ports.views.request(requestId)
  if (row?.accountId !== accountId) throw notFound()
  return row
}

function notFound(): ServiceError {
  return new ServiceError('not_found', 'There is no such request.', { param: 'id' })
}
