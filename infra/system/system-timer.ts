import type { Timer } from '@svc/contracts/ports/time'
import { within } from '@svc/contracts/ports/within'

/** The longest delay that Node.js takes; it runs a longer one at once. About 25 days. */
const DELAY_MS_MAX = 2 ** 31 - 1

/** Timers of the process, for the composition root. */
export const systemTimer: Timer = {
  after(delayMs, run) {
    let cancel = (): void => {}
    const wait = (leftMs: number): void => {
      const partMs = Math.min(Math.max(0, leftMs), DELAY_MS_MAX)
      const handle = setTimeout(() => (leftMs > partMs ? wait(leftMs - partMs) : run()), partMs)
      cancel = () => clearTimeout(handle)
    }
    wait(delayMs)
    return () => cancel()
  },
}

/**
 * Waits for an answer that is worth having soon or not at all.
 *
 * @returns the fallback when the work takes longer or fails; what it then still does is lost
 */
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
