/** The views that a server follows. A new view is a folder in `views/` and a line here. */
import type { EventStore } from '@svc/contracts/ports/event-store'
import type { Projection } from '../projection/projection.ts'
import { accountsProjection } from '../views/accounts/accounts.ts'
import { eventPlacesProjection } from '../views/event-places/event-places.ts'
import { evidenceProjection } from '../views/evidence/evidence.ts'
import { requestsProjection } from '../views/requests/requests.ts'
import { statementProjection } from '../views/statement/statement.ts'
import { usageProjection } from '../views/usage/usage.ts'

/** The views of every server. */
export const projections: readonly Projection[] = [
  accountsProjection,
  statementProjection,
  requestsProjection,
  usageProjection,
  evidenceProjection,
]

/** A store that finds events by their ids needs no view for it, which each event would pay. */
export function projectionsOn({ eventOf }: Pick<EventStore, 'eventOf'>): readonly Projection[] {
  return eventOf === undefined ? [...projections, eventPlacesProjection] : projections
}

export function projectionNamed(name: string): Projection {
  const found = [...projections, eventPlacesProjection].find((each) => each.name === name)
  if (found === undefined) throw new Error(`there is no view "${name}"`)
  return found
}
