/** Times as operators give and get them: RFC 3339, in UTC on the way out. */
import { ServiceError } from '@svc/contracts/errors'

export function timeText(timeMs: number): string {
  return new Date(timeMs).toISOString()
}

export function optionalTimeText(timeMs: number | null): string | null {
  return timeMs === null ? null : timeText(timeMs)
}

/** @throws {ServiceError} `invalid_value` naming the parameter */
export function readTime(text: string, param: string): number {
  const timeMs = Date.parse(text)
  if (Number.isNaN(timeMs)) {
    throw new ServiceError('invalid_value', `${param}: "${text}" is not a time in RFC 3339`, {
      param,
    })
  }
  return timeMs
}

export function readOptionalTime(text: string | null | undefined, param: string): number | null {
  return text === null || text === undefined ? null : readTime(text, param)
}
