/** Finds one event by its id, wherever in the log it stands. */
import type { LoggedEvent } from '@svc/contracts/admin/events'
import { ServiceError } from '@svc/contracts/errors'
import type { Projections } from '@svc/projections/open-projections'
import { loggedEvent } from '../values/details.ts'

/** @throws {ServiceError} `not_found`; `view_behind` where the store has no index of ids */
export async function foundEvent(
  { views }: Pick<Projections, 'views'>,
  id: string,
): Promise<LoggedEvent> {
  const event = await views.eventOf(id)
  const details = { param: 'event_id' }
  if (event === undefined) throw new ServiceError('not_found', 'There is no such event.', details)
  return loggedEvent(event)
}
