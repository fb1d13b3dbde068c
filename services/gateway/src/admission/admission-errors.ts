/** The errors of requests that are turned away. */
import { counted } from '@svc/contracts/counted'
import { ServiceError } from '@svc/contracts/errors'

/** @param bound how many of the key or account may run at once */
export function tooMany(
  whose: 'key' | 'account',
  bound: number,
  retryAfterSeconds: number,
): ServiceError {
  const message =
    `At most ${counted(bound, 'request')} of one ${whose} can run at once, ` +
    'and as many as may wait for them do. Please try again shortly.'
  return new ServiceError('rate_limit_exceeded', message, {
    retryAfterSeconds,
    rate: { limit: bound, remaining: 0, resetSeconds: retryAfterSeconds },
  })
}

export function tooManyOfAll(retryAfterSeconds: number): ServiceError {
  const message = 'The server runs as many requests as it can. Please try again shortly.'
  return new ServiceError('server_is_overloaded', message, { retryAfterSeconds })
}
