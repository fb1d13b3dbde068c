import type { DatabaseSync } from 'node:sqlite'
import type { EventStore, RecordedEvent } from '@svc/contracts/ports/event-store'
import { select } from '../../projection/select.ts'
import { startOfId } from './schema.ts'

/** How many ids that begin alike are looked at: two that do are one in millions of events. */
const ALIKE_MAX = 16

export interface EventPlace {
  readonly stream: string
  readonly revision: number
}

/** Finds where events stand whose ids begin as this one. */
export type EventPlaces = (id: string) => readonly EventPlace[]

export function eventPlacesQueries(database: DatabaseSync): EventPlaces {
  const alike = select<EventPlace>(
    database,
    `
    SELECT streams.stream, revision FROM places JOIN streams ON number = places.stream
    WHERE id_start = ? LIMIT ${ALIKE_MAX}`,
  )
  return (id) => {
    const idStart = startOfId(id)
    return idStart === undefined ? [] : alike.all(idStart)
  }
}

/** Reads the event of an id from the log: the view only knows places. */
export async function eventOfId(
  store: Pick<EventStore, 'readStream'>,
  places: readonly EventPlace[],
  id: string,
): Promise<RecordedEvent | undefined> {
  for (const { stream, revision: from } of places) {
    const [event] = await store.readStream({ stream, direction: 'forwards', from, limit: 1 })
    if (event?.id === id) return event
  }
  return undefined
}
