/** What the ledger says when it is not the decider that refuses. */
import { ASK_THE_OPERATOR, ServiceError, viewBehind } from '@svc/contracts/errors'
import { accountDamaged, storeRewound } from '@svc/contracts/ports/answerable-error'
import { StoreRewoundError, StoreUnavailableError } from '@svc/contracts/ports/event-store'
import { damageIn } from '@svc/contracts/ports/quarantine'
import { KEY_NOT_SEARCHED } from '../account/acceptance.ts'
import type { Refusal } from '../account/decision.ts'
import { type AccountState, InconsistentHistoryError } from '../account/state.ts'

const RETRY_SECONDS = 1
/** A busy or lost store, and one that an operator puts back. */
const REFUSED_FOR_NOW: ReadonlySet<string> = new Set([
  'store_unavailable',
  'store_rewound',
  'server_is_overloaded',
])

export function serviceErrorOf(
  { code, message, when, ...details }: Refusal,
  accountId: string,
): ServiceError {
  const text = when === undefined ? '' : new Date(when).toISOString()
  const named = message.replace('{when}', text).replace('{account}', () => accountId)
  return new ServiceError(code, named, details)
}

export function noSuchAccount(accountId: string): ServiceError {
  return new ServiceError('not_found', `There is no account ${accountId}.`, { param: 'account_id' })
}

/** @throws {ServiceError} `not_found` for the state of a stream without an event */
export function refuseUnopened(state: Pick<AccountState, 'accountId'>, accountId: string): void {
  if (state.accountId === null) throw noSuchAccount(accountId)
}

export function overloaded(): ServiceError {
  const message = 'Too many commands wait for this account.'
  return new ServiceError('server_is_overloaded', message, { retryAfterSeconds: RETRY_SECONDS })
}

/** Nothing was written. */
export function storeUnavailable(cause?: unknown): ServiceError {
  if (cause instanceof StoreRewoundError) return storeRewound(cause)
  const message = 'The event store cannot take the request now. Nothing was charged.'
  return new ServiceError('store_unavailable', message, {
    retryAfterSeconds: RETRY_SECONDS,
    cause,
  })
}

/** Whether the same command may succeed later, or may even have been written. */
export function isRefusedForNow(error: unknown): boolean {
  return error instanceof ServiceError && REFUSED_FOR_NOW.has(error.code)
}

/** It may have been written, now or later. */
export function outcomeUnknown(cause?: unknown): ServiceError {
  const message = 'The event store did not confirm the request in time.'
  return new ServiceError('store_unavailable', message, {
    retryAfterSeconds: RETRY_SECONDS,
    cause,
  })
}

/** An old key has to be looked for in the log, whose index is behind. */
export function keyUnknown(): ServiceError {
  return viewBehind(KEY_NOT_SEARCHED)
}

/** @param cause what a read, or an append of which nothing was written, was refused with */
export function storeRefusal(cause: unknown): ServiceError {
  return isDamage(cause) ? accountDamaged(cause) : storeUnavailable(cause)
}

/** @param cause what the folding of an account ended with */
export function loadingRefusal(cause: unknown): ServiceError {
  if (cause instanceof StoreUnavailableError) return storeUnavailable(cause)
  return isDamage(cause) || isContradiction(cause) ? accountDamaged(cause) : defect(cause)
}

/** Events that fit together by their hashes, and not by what they say. */
function isContradiction(cause: unknown): boolean {
  return cause instanceof InconsistentHistoryError
}

/** A stream of the service itself, such as its prices, is set aside: nothing is written to it. */
export function recordsDamaged(cause: unknown): ServiceError {
  const message = `The records that this would be written to are damaged. ${ASK_THE_OPERATOR}`
  return new ServiceError('store_unavailable', message, { cause })
}

export function isDamage(cause: unknown): boolean {
  return damageIn(cause) !== undefined
}

export function defect(cause: unknown): ServiceError {
  return new ServiceError('internal_error', 'The ledger cannot go on with this account.', { cause })
}
