/** Where a view stands behind the log: in events, and in time. */
import type { ProjectionDetails } from '@svc/contracts/admin/log'
import { type EventStore, StoreUnavailableError } from '@svc/contracts/ports/event-store'
import type { Clock } from '@svc/contracts/ports/time'
import type { ProjectionDetails as View } from '@svc/projections/views'
import { projectionState } from '../values/details.ts'
import { timeOfEvent } from '../values/event-time.ts'

const SECOND_MS = 1_000

interface Ports {
  readonly store: Pick<EventStore, 'readAll'>
  readonly clock: Clock
}

export async function projectionDetails(ports: Ports, view: View): Promise<ProjectionDetails> {
  const { events, rebuild } = view
  const behind = await behindSeconds(ports, view)
  return { ...projectionState(view), events, behind_seconds: behind, rebuild }
}

/** The age of the first event that is not in the view; null where it does not tell its time. */
async function behindSeconds(
  { store, clock }: Ports,
  { position, head }: Pick<View, 'position' | 'head'>,
): Promise<number | null> {
  if (position >= head) return 0
  try {
    const [next] = await store.readAll({ after: position, limit: 1 })
    // All that came behind it is none of ours.
    if (next === undefined) return 0
    const at = timeOfEvent(next)
    return at === undefined ? null : Math.max(0, clock.nowMs() - at) / SECOND_MS
  } catch (error) {
    if (error instanceof StoreUnavailableError) return null
    throw error
  }
}
