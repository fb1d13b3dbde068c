/** Waits until something holds. */
import { setTimeout as delay } from 'node:timers/promises'

/** A bound against waiting for ever, for a machine that does much else. */
const WITHIN_MS = 60_000
const LOOK_AGAIN_MS = 5

/** @throws {Error} with the source of the condition, when it does not hold in time */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = performance.now() + WITHIN_MS
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within ${WITHIN_MS} ms: ${holds}`)
    await delay(LOOK_AGAIN_MS)
  }
}
