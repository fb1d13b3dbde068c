/**
 * Milliseconds since the process started, behind a fixed number, that never jump. For how long
 * something lasts: a clock that is set must not end a request that runs, and a clock that is set
 * back must not keep a claim or an open circuit for an hour.
 */
import type { Clock } from '@svc/contracts/ports/time'

export const steadyClock: Clock = { nowMs: () => performance.timeOrigin + performance.now() }
