/** How many threads build views, and from which length of a log on. */
import { availableParallelism } from 'node:os'
import { threadEnvironment } from '@svc/infra/system/thread-environment'
import type { OpenProjections } from '@svc/projections/open-projections'

/** More would wait for the slowest view and for the reading of the log. */
const THREADS_MAX = 3
/** Folded in an eighth of a second: about what the start of a thread takes. */
const LONG_EVENTS = 5_000

export function buildThreads(): NonNullable<OpenProjections['threads']> {
  const count = Math.min(availableParallelism(), THREADS_MAX)
  return { count, longEvents: LONG_EVENTS, environment: threadEnvironment() }
}
