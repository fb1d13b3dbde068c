/** One request of the caller's account, by the id that its answer named. */
import { ServiceError } from '@svc/contracts/errors'
import { requestIdOf } from '@svc/contracts/ids'
import type { EventStore } from '@svc/contracts/ports/event-store'
import type { RequestRow, Views } from '@svc/projections/views'
import { type OwnViews, viewHolds, viewHoldsAll } from './own-views.ts'

export interface OwnRequestPorts extends OwnViews {
  readonly log: Pick<EventStore, 'lastPosition'>
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
  const known = await ports.views.request(requestId)
  // Another gateway may have accepted it just now.
  if (known === undefined) await viewHoldsAll(ports, 'requests')
  const row = known ?? (await ports.views.request(requestId))
  if (row?.accountId !== accountId) throw notFound()
  return row
}

function notFound(): ServiceError {
  return new ServiceError('not_found', 'There is no such request.', { param: 'id' })
}
