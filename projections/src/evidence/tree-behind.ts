import { ServiceError } from '@svc/contracts/errors'

/** The refusal while the tree of this process lacks events that it is asked about. */
export function treeBehind(): ServiceError {
  const message = 'The tree of events is behind. Please try again.'
  return new ServiceError('view_behind', message, { retryAfterSeconds: 1 })
}
