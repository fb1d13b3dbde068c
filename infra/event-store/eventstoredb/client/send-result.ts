/**
 * What an append to the server came to.
 *
 * Only few of the client's errors say that nothing was written. Every other one, and a timer that
 * ran out, leaves it open: of the appends that ended with a dropped connection, a fifth to a third
 * were found committed. A wrong guess towards `unknown` costs one repeated append; the other way
 * round it costs an event.
 */

import type { AppendedAt } from '../messages/stream-calls.ts'
import { failureTypeOf, isDiscoveryFailure, isUnavailable } from './server-failure.ts'

export type NotWrittenReason =
  /** There was no connection to send the append over. */
  'unreachable' | 'access-denied' | 'stream-deleted' | 'too-large'

export type SendResult =
  | ({ readonly kind: 'appended' } & AppendedAt)
  /** Other events stand at that revision, or stood there and were never replicated. */
  | { readonly kind: 'wrong-expected-revision' }
  | { readonly kind: 'not-written'; readonly reason: NotWrittenReason; readonly cause: unknown }
  | { readonly kind: 'unknown'; readonly cause: unknown }

const refusals: Readonly<Record<string, NotWrittenReason>> = {
  'maximum-append-size-exceeded': 'too-large',
  'stream-deleted': 'stream-deleted',
  'access-denied': 'access-denied',
}

/** Tells what the rejection of an append says about its events. */
export function sendResultOf(error: unknown): SendResult {
  const type = failureTypeOf(error)
  if (type === undefined && wasNeverSent(error)) return notSent(error)
  if (type === 'wrong-expected-version') return { kind: 'wrong-expected-revision' }
  const reason = refusals[type ?? '']
  return reason === undefined
    ? { kind: 'unknown', cause: error }
    : { kind: 'not-written', reason, cause: error }
}

/** Makes the result of an error in a step that comes before the first byte of the append. */
export function notSent(cause: unknown): SendResult {
  const reason = failureTypeOf(cause) === 'access-denied' ? 'access-denied' : 'unreachable'
  return { kind: 'not-written', reason, cause }
}

/**
 * The client looks for a server, and asks it what it can do, before it sends the first append. The
 * errors of these two steps are plain ones, without a type.
 */
function wasNeverSent(error: unknown): boolean {
  return isDiscoveryFailure(error) || isUnavailable(error)
}
