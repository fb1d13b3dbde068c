/** The pace of a process that does nothing else: a step in every turn of the event loop. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Pace } from '@svc/contracts/ports/pace'

export const everyTurn: Pace = {
  async step(work) {
    await nextTurn()
    return await work()
  },
}
