/** How many threads build views, and from which length of a log on. */
import { availableParallelism } from 'node:os'
import { threadEnvironment } from '@svc/infra/system/thread-environment'
import type { OpenProjections } from '@svc/projections/open-projections'

/** More would wait for the slowest view and for the reading of the log. */
const THREADS_MAX = 3
/** Folded in an eighth of a second: about what the start of a thread takes. */
const LONG_EVENTS = 5_000

export function buildThreads(): NonNullable<OpenProjections['threads']> {
  // One core is left to the thread that serves and reads the log.
  const count = Math.max(1, Math.min(availableParallelism() - 1, THREADS_MAX))
  return { count, longEvents: LONG_EVENTS, environment: threadEnvironment() }
}
