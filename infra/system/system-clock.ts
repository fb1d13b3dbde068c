import type { Clock } from '@svc/ledger/ports'

/** The clock of the machine, for the composition root. */
export const systemClock: Clock = { nowMs: () => Date.now() }
