/**
 * Milliseconds since 1970 that never jump: a clock that is set back must not keep a claim or an
 * open circuit for an hour.
 */
import type { Clock } from '@svc/contracts/ports/time'

export const steadyClock: Clock = { nowMs: () => performance.timeOrigin + performance.now() }
