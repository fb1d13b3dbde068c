/**
 * Errors that the client lets loose where no caller can catch them: as a rejection that nobody
 * handles, or out of a callback of its stream. They would end the process, and mean nothing that
 * the caller of an append or a read is not told as well. The composition root logs these, and lets
 * every other end the process.
 *
 *  - The search for a node gave up while a subscription or a read was failing.
 *  - An answer came for an append that was let go, because another client ended.
 *  - The connection broke while appends stood in a row to be written to it.
 */
import { grpcCodeOf, isDiscoveryFailure } from './server-failure.ts'

const CLIENT = /[\\/]@eventstore[\\/]db-client[\\/]/
const BATCH_APPEND = /[\\/]batchAppend\.js:/

/** @param error of `unhandledRejection` or `uncaughtException` */
export function isUnhandledClientError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (isDiscoveryFailure(error)) return true
  const stack = error.stack ?? ''
  if (error instanceof TypeError)
    return /not iterable/.test(error.message) && BATCH_APPEND.test(stack)
  return grpcCodeOf(error) !== undefined && 'details' in error && CLIENT.test(stack)
}
