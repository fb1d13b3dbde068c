/** Zones and periods as callers write them; refusals name the field. */
import { ServiceError } from '@svc/contracts/errors'
import {
  monthIn,
  type Period,
  readMoment,
  readZone,
  startOfDay,
  type Zone,
} from '@svc/contracts/zone'

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** @throws {ServiceError} `invalid_value` for a zone that does not exist */
export function readZoneOf(name: string): Zone {
  return orRefusal('zone', () => readZone(name))
}

/** @throws {ServiceError} `invalid_value` for a month that is in no calendar */
export function readMonth(month: string, zone: Zone): Period {
  return orRefusal('month', () => monthIn(month, zone))
}

/**
 * An edge of a period: the first moment of a day in the zone, or a moment. Milliseconds since 1970.
 *
 * @throws {ServiceError} `invalid_value` that names the field
 */
export function readEdge(param: string, text: string, zone: Zone): number {
  return orRefusal(param, () => (DAY.test(text) ? startOfDay(text, zone) : readMoment(text, zone)))
}

/** A period as it is asked for: an edge that was not named is undefined. */
export interface AskedPeriod {
  readonly from: number | undefined
  readonly to: number | undefined
}

/**
 * Reads the edges that were named.
 *
 * @throws {ServiceError} `invalid_value` that names the field
 */
export function readPeriod(asked: {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly zone: string
}): AskedPeriod {
  const zone = readZoneOf(asked.zone)
  const period = {
    from: asked.from === undefined ? undefined : readEdge('from', asked.from, zone),
    to: asked.to === undefined ? undefined : readEdge('to', asked.to, zone),
  }
  if (period.from === undefined || period.to === undefined || period.from < period.to) return period
  const message = `from: ${asked.from} is not before ${asked.to}`
  throw new ServiceError('invalid_value', message, { param: 'from' })
}

/**
 * Whether a period has ended; one without an end goes on. An event of before the end may still be
 * on its way into the log, or here from another gateway: nobody knows of it here.
 */
export function isOver({ to }: Pick<AskedPeriod, 'to'>, nowMs: number): boolean {
  return to !== undefined && to <= nowMs
}

function orRefusal<T>(param: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new ServiceError('invalid_value', `${param}: ${cause.message}`, { param, cause })
  }
}
