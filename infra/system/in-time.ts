/** For answers that are worth having soon or not at all. */
import { within } from '@svc/contracts/ports/within'
import { systemTimer } from './system-timer.ts'

/** @returns the fallback when the work takes longer or fails; what it then still does is lost */
export async function inTime<Value, Fallback>(
  work: Promise<Value>,
  timeoutMs: number,
  fallback: Fallback,
): Promise<Value | Fallback> {
  try {
    return await within(systemTimer, timeoutMs, work, fallback)
  } catch {
    return fallback
  }
}
