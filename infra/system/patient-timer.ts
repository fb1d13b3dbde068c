import type { Timer } from '@svc/contracts/ports/time'
import { systemTimer } from './system-timer.ts'

/**
 * Timers for bounds on what others send and take. After a stall of this process a timer would run
 * before what lies ready in a socket is read. Sockets are read between timers and immediates: two
 * turns of the event loop let it come first.
 */
export function patient(timer: Timer): Timer {
  return {
    after(delayMs, run) {
      let cancel = timer.after(delayMs, () => {
        let turn = setImmediate(() => {
          turn = setImmediate(run)
        })
        cancel = () => clearImmediate(turn)
      })
      return () => cancel()
    },
  }
}

export const patientTimer: Timer = patient(systemTimer)
