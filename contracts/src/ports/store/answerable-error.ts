/** Turns what was thrown into what a caller is told. */
import { ASK_THE_OPERATOR, ownDefect, ServiceError } from '../../errors.ts'
import { StoreRewoundError, StoreUnavailableError } from '../event-store.ts'
import { damageIn } from './quarantine.ts'

/**
 * The events of an account cannot be relied on: an operator has to look. Until then nothing is
 * written to them, so what was asked costs nothing.
 */
export function accountDamaged(cause: unknown): ServiceError {
  const message = `The records of the account are damaged. Nothing was charged. ${ASK_THE_OPERATOR}`
  return new ServiceError('account_damaged', message, { cause })
}

/** The store is not the one that it was: an operator has to look. */
export function storeRewound(cause: unknown): ServiceError {
  const message = `The event store does not hold what it held before. Nothing was charged. ${ASK_THE_OPERATOR}`
  return new ServiceError('store_rewound', message, { cause })
}

/**
 * Gives the error that a caller is told of anything that was thrown: a store that is away will be
 * back, and all else that is no error of the catalogue is our own defect.
 */
export function answerableError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown
  if (damageIn(thrown) !== undefined) return accountDamaged(thrown)
  if (thrown instanceof StoreRewoundError) return storeRewound(thrown)
  if (!(thrown instanceof StoreUnavailableError)) return ownDefect(thrown)
  const message = 'The event store does not answer. Please try again.'
  return new ServiceError('store_unavailable', message, { retryAfterSeconds: 1, cause: thrown })
}
