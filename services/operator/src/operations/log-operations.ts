/** The event log and the views that follow it. */
import type { Operations } from '@svc/contracts/admin/operations'
import { listEvents, tailEvents } from './log/event-queries.ts'
import { rebuildLines } from './log/rebuild-lines.ts'
import { verifyLines } from './log/verify-lines.ts'
import type { OperationPorts } from './ports.ts'
import { projectionState } from './values/details.ts'

/** Of a tail that its reader ends by leaving it. */
const never = new AbortController().signal

export function logOperations(
  ports: OperationPorts,
): Pick<
  Operations,
  'verify' | 'listProjections' | 'rebuildProjection' | 'listEvents' | 'tailEvents'
> {
  const { projections, store, pace, memory, information } = ports
  return {
    verify: (input) => {
      const densePositions = information.storeKind === 'sqlite'
      const witnesses = () => memory?.witnesses() ?? []
      return verifyLines({ store, pace, witnesses, densePositions }, input)
    },
    listProjections: async () => (await projections.status()).map(projectionState),
    rebuildProjection: ({ name }) => rebuildLines(projections, name),
    listEvents: (query) => listEvents(ports, query),
    tailEvents: (query = {}, signal = never) => tailEvents(ports, query, signal),
  }
}
