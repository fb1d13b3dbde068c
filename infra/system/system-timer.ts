import type { Timer } from '@svc/contracts/ports/time'

/** The longest delay that Node.js takes; it runs a longer one at once. About 25 days. */
const MAX_DELAY_MS = 2 ** 31 - 1

/** Timers of the process, for the composition root. */
export const systemTimer: Timer = {
  after(delayMs, run) {
    let cancel = (): void => {}
    const wait = (leftMs: number): void => {
      const partMs = Math.min(Math.max(0, leftMs), MAX_DELAY_MS)
      const handle = setTimeout(() => (leftMs > partMs ? wait(leftMs - partMs) : run()), partMs)
      cancel = () => clearTimeout(handle)
    }
    wait(delayMs)
    return () => cancel()
  },
}
