/** For tests: waits until something holds, up to a bound. */
import { setTimeout as delay } from 'node:timers/promises'

const WITHIN_MS = 10_000
const LOOK_AGAIN_MS = 10

export async function until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = performance.now() + WITHIN_MS
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within ${WITHIN_MS} ms: ${what}`)
    await delay(LOOK_AGAIN_MS)
  }
}
