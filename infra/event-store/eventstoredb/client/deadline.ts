/** Bounds on answers of the server: the client has no deadline that works. */
import { within } from '@svc/contracts/ports/within'
import { patientTimer } from '../../../system/patient-timer.ts'
import { ServerTimeoutError } from './server-failure.ts'

const OVER = Symbol('the time is over')

/**
 * Settles as the promise does. What it comes to after the time limit is ignored.
 *
 * @throws {ServerTimeoutError} when it takes longer
 */
export async function answerWithin<Value>(
  timeoutMs: number,
  what: string,
  promise: Promise<Value>,
): Promise<Value> {
  const outcome = await within(patientTimer, timeoutMs, promise, OVER)
  if (outcome === OVER) throw new ServerTimeoutError(what, timeoutMs)
  return outcome
}
