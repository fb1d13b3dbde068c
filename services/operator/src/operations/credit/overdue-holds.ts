/** Credit that is held longer than any request may run. */
import type { ServiceStatus } from '@svc/contracts/admin/workers'
import type { Clock } from '@svc/contracts/ports/time'
import type { Projections } from '@svc/projections/open-projections'
import { timeText } from '../values/rfc3339-times.ts'

/** A sweep ends a request seconds behind its deadline: what is left after this, nobody ends. */
const OVERDUE_AFTER_MS = 60_000
/** Holds that one status looks at, the oldest ones. */
const LOOKED_AT_MAX = 1_000

export interface OverdueHoldsPorts {
  readonly projections: { readonly views: Pick<Projections['views'], 'holds'> }
  readonly clock: Clock
}

/** Finds those that are overdue among the thousand oldest holds. */
export function overdueHolds({
  projections,
  clock,
}: OverdueHoldsPorts): NonNullable<ServiceStatus['overdue_holds']> {
  const before = clock.nowMs() - OVERDUE_AFTER_MS
  const oldest = projections.views.holds({ before, limit: LOOKED_AT_MAX })
  const deadlines = oldest.map(({ deadline }) => deadline).filter((deadline) => deadline < before)
  if (deadlines.length === 0) return { count: 0, since: null }
  return { count: deadlines.length, since: timeText(Math.min(...deadlines)) }
}
