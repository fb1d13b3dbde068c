/** Finds which events lie before a moment, or up to a position, as callers write it. */
import { ServiceError } from '@svc/contracts/errors'
import { type EventStore, type Position, START } from '@svc/contracts/ports/event-store'
import { readMoment } from '@svc/contracts/zone'
import { timeOfEvent } from '../values/event-time.ts'

/** Events that are looked through for one that has a time: nearly always the first has. */
const LOOKED_THROUGH = 50
const POSITION = /^(-1|\d{1,19})$/

type Log = Pick<EventStore, 'readAll' | 'lastPosition'>

export interface Place {
  /** The position of the last event that counts. */
  readonly position: Position
  /** The moment that was asked for, in milliseconds since 1970; undefined for a position. */
  readonly timeMs: number | undefined
}

/**
 * @param text a position, that one included; or a day in UTC or a moment in RFC 3339: all before it
 * @throws {ServiceError} `invalid_value` for neither, and for a position behind the end of the log
 */
export async function readPlace(log: Log, text: string): Promise<Place> {
  const last = await log.lastPosition()
  if (POSITION.test(text)) {
    const position = BigInt(text)
    if (position <= last) return { position, timeMs: undefined }
    throw refused(`the log ends at position ${last}`)
  }
  const timeMs = momentOf(text)
  return { position: await positionBefore(log, timeMs, last), timeMs }
}

function momentOf(text: string): number {
  try {
    return readMoment(text)
  } catch {
    throw refused(`"${text}" is neither a position nor a time such as 2026-11-01T00:00:00Z`)
  }
}

/**
 * The position up to which everything lies before a moment. Times rise along the log; where the
 * clocks of two gateways differ, by no more than that. It is looked for from the start in steps
 * that double and then halve, the same ones however long the log has become: so the same moment of
 * the past is the same position for ever.
 */
async function positionBefore(log: Log, timeMs: number, last: Position): Promise<Position> {
  const isBefore = async (position: Position): Promise<boolean> => {
    const nextMs = await timeBehind(log, position)
    return nextMs !== undefined && nextMs < timeMs
  }
  let before = START
  if (!(await isBefore(before))) return START
  let step = 1n
  while (await isBefore(before + step)) {
    before += step
    step *= 2n
  }
  let notBefore = before + step
  while (notBefore - before > 1n) {
    const middle = (before + notBefore) / 2n
    if (await isBefore(middle)) before = middle
    else notBefore = middle
  }
  return notBefore < last ? notBefore : last
}

/** The time of the first event behind the position that has one; undefined where none has. */
async function timeBehind(log: Log, position: Position): Promise<number | undefined> {
  for (const limit of [1, LOOKED_THROUGH]) {
    if (position >= (await log.lastPosition())) return undefined
    for (const event of await log.readAll({ after: position, limit })) {
      const timeMs = timeOfEvent(event)
      if (timeMs !== undefined) return timeMs
    }
  }
  return undefined
}

function refused(why: string): ServiceError {
  return new ServiceError('invalid_value', `to: ${why}`, { param: 'to' })
}
