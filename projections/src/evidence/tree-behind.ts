import { type ServiceError, viewBehind } from '@svc/contracts/errors'

/** The refusal while the tree of this process lacks events that it is asked about. */
export function treeBehind(): ServiceError {
  return viewBehind('The tree of events is behind. Please try again.')
}
