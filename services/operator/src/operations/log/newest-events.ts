/** Looks back from the end of the event log, or from one of its events: who did what of late. */
import type { EventPage, LoggedEvent } from '@svc/contracts/admin/events'
import { ADMINISTRATORS, isAdministrator } from '@svc/contracts/events/actors'
import type { Position, RecordedEvent } from '@svc/contracts/ports/event-store'
import { loggedEvent } from '../values/details.ts'
import {
  checkType,
  type EventSource,
  LOOKED_AT_MAX,
  placeError,
  STEP_EVENTS,
} from './event-queries.ts'

export interface NewestFilter {
  /** The actor, or a kind of them: `user` is every `user:…`; `administrators`. */
  readonly actor?: string | undefined
  readonly type?: string | undefined
  /** The type that is left out. */
  readonly except?: string | undefined
  readonly until?: string | undefined
}

/**
 * The last events up to the position that fit, the newest first, at most as many as the limit.
 *
 * @throws {ServiceError} `invalid_value` for an unknown type, and for a position of no event
 */
export async function newestEvents(
  source: EventSource,
  filter: NewestFilter & { readonly limit: number },
): Promise<EventPage> {
  checkType(filter)
  checkType({ type: filter.except })
  const found: LoggedEvent[] = []
  let lookedAt = 0
  for await (const events of stepsBack(source, filter.until)) {
    for (const event of events) {
      // Nobody knows yet whether this event fits: the next page begins with it.
      const isFull = found.length === filter.limit || lookedAt === LOOKED_AT_MAX
      if (isFull) return { events: found, more: true, next: `${event.position}` }
      lookedAt += 1
      if (matches(event, filter)) found.push(loggedEvent(event))
    }
  }
  return { events: found, more: false, next: null }
}

async function* stepsBack(
  { store, pace }: EventSource,
  until: string | undefined,
): AsyncGenerator<readonly RecordedEvent[]> {
  let from = until === undefined ? undefined : BigInt(until)
  for (let isFirst = true; ; isFirst = false) {
    const page = await pace.step(() => read(store, from))
    const last = page.at(-1)
    // Every page but the first begins with the last event of the one before.
    const events = isFirst ? page : page.slice(1)
    if (last === undefined || events.length === 0) return
    yield events
    from = last.position
  }
}

async function read(
  store: EventSource['store'],
  from: Position | undefined,
): Promise<readonly RecordedEvent[]> {
  try {
    return await store.readAllBackwards({ from, limit: STEP_EVENTS })
  } catch (error) {
    throw placeError('until', error)
  }
}

function matches(event: RecordedEvent, { actor, type, except }: NewestFilter): boolean {
  if (type !== undefined && event.type !== type) return false
  if (event.type === except) return false
  if (actor === undefined) return true
  const by = actorOf(event)
  if (actor === ADMINISTRATORS) return by !== undefined && isAdministrator(by)
  return by === actor || by?.startsWith(`${actor}:`) === true
}

/** Reads the actor. Gives undefined of what somebody else has written, which may be anything. */
function actorOf({ metadata }: RecordedEvent): string | undefined {
  try {
    const { actor } = JSON.parse(metadata) as { readonly actor?: unknown }
    return typeof actor === 'string' ? actor : undefined
  } catch {
    return undefined
  }
}
