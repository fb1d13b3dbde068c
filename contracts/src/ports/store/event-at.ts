/** Reads one event by its place, for callers to whom damage is an answer and not an error. */
import type { EventStore, RecordedEvent } from '../event-store.ts'
import { damageIn } from './quarantine.ts'

/**
 * @returns the event at the place; undefined when there is none, and *damaged* when the stream
 *   cannot be relied on there, which says nothing about the rest of the log
 * @throws {StoreUnavailableError} when the store does not answer now
 */
export async function eventAt(
  store: Pick<EventStore, 'readStream'>,
  { stream, revision: from }: Pick<RecordedEvent, 'stream' | 'revision'>,
): Promise<RecordedEvent | 'damaged' | undefined> {
  try {
    const [event] = await store.readStream({ stream, direction: 'forwards', from, limit: 1 })
    return event
  } catch (error) {
    if (damageIn(error) !== undefined) return 'damaged'
    throw error
  }
}
