/** Looks into the event log for operators: a page of what is there, or what comes. */

import type { EventPage, LoggedEvent } from '@svc/contracts/admin/events'
import { ServiceError } from '@svc/contracts/errors'
import { eventSchemas } from '@svc/contracts/events/codec'
import {
  type EventStore,
  type Position,
  PositionBeyondEndError,
  type ReadAllRequest,
  type RecordedEvent,
  START,
} from '@svc/contracts/ports/event-store'
import type { Pace } from '@svc/contracts/ports/pace'
import { loggedEvent } from '../values/details.ts'

/** This many are read and looked at in one step. */
export const STEP_EVENTS = 250
/** A page looks at no more than this, so that its answer comes soon: the next one goes on. */
export const LOOKED_AT_MAX = 100_000

const eventTypes = Object.keys(eventSchemas).toSorted()

export interface EventFilter {
  readonly stream?: string | undefined
  readonly type?: string | undefined
  readonly after?: string | undefined
}

export interface EventSource {
  readonly store: EventStore
  readonly pace: Pace
}

/**
 * The first events behind the position that fit, at most as many as the limit.
 *
 * @throws {ServiceError} `invalid_value` for an unknown type, `not_found` for an unknown stream
 */
export async function listEvents(
  source: EventSource,
  filter: EventFilter & { readonly limit: number },
): Promise<EventPage> {
  checkType(filter)
  const found: LoggedEvent[] = []
  let lookedAt = 0
  for await (const events of steps(source, filter)) {
    for (const event of events) {
      if (!matches(event, filter)) continue
      // This event is one more than was asked for: only now it is known that more follow.
      if (found.length === filter.limit) return pageOf(found, found.at(-1)?.position)
      found.push(loggedEvent(event))
    }
    lookedAt += events.length
    if (lookedAt >= LOOKED_AT_MAX) return pageOf(found, `${events.at(-1)?.position}`)
  }
  return pageOf(found)
}

function pageOf(events: readonly LoggedEvent[], next: string | null = null): EventPage {
  return { events, more: next !== null, next }
}

/** @throws {ServiceError} `invalid_value` for an unknown type */
export async function* tailEvents(
  { store, pace }: EventSource,
  filter: EventFilter,
  signal: AbortSignal,
): AsyncGenerator<LoggedEvent> {
  checkType(filter)
  const after = filter.after === undefined ? await store.lastPosition() : BigInt(filter.after)
  try {
    for await (const { events } of store.subscribe({ after, batchSize: STEP_EVENTS, signal })) {
      const found = events.filter((event) => matches(event, filter))
      yield* await pace.step(() => found.map(loggedEvent))
    }
  } catch (error) {
    throw placeError('after', error)
  }
}

/**
 * Gives the error for a position where no event of the log stands; any other error stays as it is.
 */
export function placeError(param: 'after' | 'until', error: unknown): unknown {
  const isOfPlace = error instanceof RangeError || error instanceof PositionBeyondEndError
  if (!isOfPlace) return error
  const message = `${param}: no event of the log stands at that position`
  return new ServiceError('invalid_value', message, { param, cause: error })
}

/** @throws {ServiceError} so that a misspelt name is not taken for an event that never happened */
export function checkType({ type }: EventFilter): void {
  if (type === undefined || eventTypes.includes(type)) return
  const message = `type: there is no event type "${type}": the types are ${eventTypes.join(', ')}`
  throw new ServiceError('invalid_value', message, { param: 'type' })
}

async function* steps(
  source: EventSource,
  { stream, after }: EventFilter,
): AsyncGenerator<readonly RecordedEvent[]> {
  const start = after === undefined ? START : BigInt(after)
  yield* stream === undefined ? stepsOfAll(source, start) : stepsOfStream(source, stream, start)
}

async function* stepsOfAll(
  { store, pace }: EventSource,
  start: Position,
): AsyncGenerator<readonly RecordedEvent[]> {
  for (let after = start; ; ) {
    const request = { after, limit: STEP_EVENTS }
    const page = await pace.step(() => readPage(store, request))
    const last = page.at(-1)
    if (last === undefined) return
    yield page
    after = last.position
  }
}

async function readPage(
  store: EventStore,
  request: ReadAllRequest,
): Promise<readonly RecordedEvent[]> {
  try {
    return await store.readAll(request)
  } catch (error) {
    throw placeError('after', error)
  }
}

async function* stepsOfStream(
  { store, pace }: EventSource,
  stream: string,
  start: Position,
): AsyncGenerator<readonly RecordedEvent[]> {
  for (let from = await firstRevisionBehind(store, stream, start); ; ) {
    const request = { stream, direction: 'forwards', from, limit: STEP_EVENTS } as const
    const page = await pace.step(() => store.readStream(request))
    const last = page.at(-1)
    if (last === undefined) return
    yield page
    from = last.revision + 1
  }
}

/** Finds it by halving: positions rise with revisions, and a stream may be long. */
async function firstRevisionBehind(
  store: EventStore,
  stream: string,
  start: Position,
): Promise<number> {
  const [last] = await store.readStream({ stream, direction: 'backwards', limit: 1 })
  if (last === undefined)
    throw new ServiceError('not_found', `There is no stream ${stream}.`, { param: 'stream' })
  let notBehind = -1
  let behind = last.revision + 1
  while (start !== START && behind - notBehind > 1) {
    const from = Math.floor((notBehind + behind) / 2)
    const [event] = await store.readStream({ stream, direction: 'forwards', from, limit: 1 })
    if (event !== undefined && event.position <= start) notBehind = from
    else behind = from
  }
  return start === START ? 0 : behind
}

/** The position of the filter needs no look: nothing that was read stands before it. */
function matches(event: RecordedEvent, { stream, type }: EventFilter): boolean {
  return (
    (stream === undefined || event.stream === stream) && (type === undefined || event.type === type)
  )
}
