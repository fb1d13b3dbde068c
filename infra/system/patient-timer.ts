import type { Timer } from '@svc/contracts/ports/time'
import { systemTimer } from './system-timer.ts'

/**
 * Timers for bounds on answers of others. After a stall of this process a timer would run before
 * the answer that lies ready in a socket is read. Sockets are read between timers and immediates:
 * two turns of the event loop let the answer come first.
 */
export const patientTimer: Timer = {
  after(delayMs, run) {
    let cancel = systemTimer.after(delayMs, () => {
      let turn = setImmediate(() => {
        turn = setImmediate(run)
      })
      cancel = () => clearImmediate(turn)
    })
    return () => cancel()
  },
}
