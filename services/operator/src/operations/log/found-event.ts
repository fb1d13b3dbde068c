/** One event by its id, wherever in the log it stands. */
import type { LoggedEvent } from '@svc/contracts/admin/log'
import { ServiceError } from '@svc/contracts/errors'
import type { EventStore } from '@svc/contracts/ports/event-store'
import { loggedEvent } from '../values/details.ts'

/**
 * @throws {ServiceError} `not_found`; `invalid_value` where the store has no index of ids, and all
 *   of it would have to be read
 */
export async function foundEvent(
  store: Pick<EventStore, 'eventOf'>,
  id: string,
): Promise<LoggedEvent> {
  const details = { param: 'event_id' }
  if (store.eventOf === undefined) {
    const message = 'events of this store are not found by their ids: look in the stream instead'
    throw new ServiceError('invalid_value', `event_id: ${message}`, details)
  }
  const event = await store.eventOf(id)
  if (event === undefined) throw new ServiceError('not_found', 'There is no such event.', details)
  return loggedEvent(event)
}
