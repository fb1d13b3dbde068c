/** Stands in for the views on a gateway that asks other servers for them. */
import { ServiceError } from '@svc/contracts/errors'
import type { EventStore } from '@svc/contracts/ports/event-store'
import type { Projections } from '@svc/projections/open-projections'

/** Refuses every question about views, and says where they are. Its status still asks the log. */
export function noProjections(store: Pick<EventStore, 'lastPosition'>): Projections {
  const refuse = (): never => {
    throw viewsAreElsewhere()
  }
  return {
    views: new Proxy({} as Projections['views'], { get: () => refuse }),
    start: () => {},
    reached: async () => refuse(),
    async status() {
      await store.lastPosition()
      return []
    },
    lastStatus: () => [],
    checkpoints: () => [],
    distrust: async () => {},
    wrongAbout: () => [],
    rebuild: async () => refuse(),
    tryRebuild: async () => refuse(),
    cancelRebuild: refuse,
    compare: async () => refuse(),
    replay: refuse,
    close: async () => {},
  }
}

function viewsAreElsewhere(): ServiceError {
  const message = 'This gateway has no views: ask one of the servers that SVC_VIEWS_URL names.'
  return new ServiceError('view_behind', message)
}
