/** Tells where views stand behind the log: in events, and in time. */
import type { ProjectionDetails } from '@svc/contracts/admin/projections'
import { StoreUnavailableError } from '@svc/contracts/ports/event-store'
import type { Clock } from '@svc/contracts/ports/time'
import type { ProjectionDetails as View } from '@svc/projections/projection-status'
import { projectionState } from '../values/details.ts'
import { timeOfEvent } from '../values/event-time.ts'
import { behindEvents, type CountedLog } from './behind-events.ts'

const SECOND_MS = 1_000

interface Ports extends CountedLog {
  readonly clock: Clock
}

/** @param views as they stood at one moment */
export async function projectionDetails(
  ports: Ports,
  views: readonly View[],
): Promise<readonly ProjectionDetails[]> {
  const [counted, seconds] = await Promise.all([
    behindEvents(ports, views),
    Promise.all(views.map((view) => behindSeconds(ports, view))),
  ])
  return views.map((view, index) => {
    const { count = 0, isExact = false } = counted[index] ?? {}
    return {
      ...projectionState(view),
      events: view.events,
      behind_events: count,
      behind_events_exact: isExact,
      behind_seconds: seconds[index] ?? null,
      rebuild: view.rebuild,
    }
  })
}

/** The age of the first event that is not in the view; null where it does not tell its time. */
async function behindSeconds(
  { store, clock }: Ports,
  { position, head }: View,
): Promise<number | null> {
  if (position >= head) return 0
  try {
    const [next] = await store.readAll({ after: position, limit: 1 })
    // None of what came behind it is ours.
    if (next === undefined) return 0
    const at = timeOfEvent(next)
    return at === undefined ? null : Math.max(0, clock.nowMs() - at) / SECOND_MS
  } catch (error) {
    if (error instanceof StoreUnavailableError) return null
    throw error
  }
}
