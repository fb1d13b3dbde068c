import type { Clock } from '@svc/contracts/ports/time'

/** The clock of the machine, for the composition root. */
export const systemClock: Clock = { nowMs: () => Date.now() }
