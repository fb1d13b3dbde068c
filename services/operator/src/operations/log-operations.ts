/** The event log and the views that follow it. */
import type { Caller } from '@svc/contracts/admin/caller'
import type { OperationHandlers } from '@svc/contracts/admin/operations'
import { noQuarantine } from '@svc/contracts/ports/quarantine'
import { backupLines, lastBackup } from './log/backup-lines.ts'
import { listEvents, tailEvents } from './log/event-queries.ts'
import { evidenceKey, evidenceLines } from './log/evidence-lines.ts'
import { feedOperations } from './log/feed-lines.ts'
import { foundEvent } from './log/found-event.ts'
import { lastVerification, withKept } from './log/kept-verification.ts'
import { newestEvents } from './log/newest-events.ts'
import { projectionDetails } from './log/projection-details.ts'
import { rebuildLines, triedRebuild } from './log/rebuild-lines.ts'
import { verifyLines } from './log/verify-lines.ts'
import { type OperationPorts, viewsCurrent } from './ports.ts'
import { compareLines } from './replay/compare-lines.ts'
import { replayLines } from './replay/replay-lines.ts'
import { quarantinedStream } from './values/details.ts'

/** This signal never aborts. It is for a tail that nothing ends but its reader, who leaves it. */
const never = new AbortController().signal

export function logOperations(
  ports: OperationPorts,
  caller: Caller,
): Pick<
  OperationHandlers,
  | 'verify'
  | 'lastVerification'
  | 'lastBackup'
  | 'checkFeed'
  | 'resendFeed'
  | 'listProjections'
  | 'rebuildProjection'
  | 'tryRebuild'
  | 'cancelRebuild'
  | 'listQuarantine'
  | 'findEvent'
  | 'listEvents'
  | 'newestEvents'
  | 'tailEvents'
  | 'evidenceKey'
  | 'exportEvidence'
  | 'rotateEvidenceKey'
  | 'replay'
  | 'compareViews'
  | 'backUp'
> {
  const { projections, store, storeHealth, texts, pace, memory, information, evidence } = ports
  const { quarantine = noQuarantine } = ports
  const isFile = information.storeKind === 'sqlite'
  return {
    async *verify(input) {
      const witnesses = () => memory?.witnesses() ?? []
      if (input?.from !== undefined) await treeCurrent(ports)
      const kind = { densePositions: isFile, mayHideEvents: !isFile }
      const log = { store, storeHealth, quarantine, texts, pace, witnesses, ...kind }
      yield* withKept(ports, caller, verifyLines({ ...log, evidence }, input))
    },
    lastVerification: async () => ({ verification: await lastVerification(ports) }),
    listQuarantine: async () => quarantine.list().map(quarantinedStream),
    listProjections: async () =>
      projectionDetails({ ...ports, densePositions: isFile }, await projections.status()),
    rebuildProjection: (input) => rebuildLines(projections, input),
    tryRebuild: ({ name }) => triedRebuild(projections, name),
    cancelRebuild: async ({ name }) => ({ cancelled: projections.cancelRebuild(name) }),
    evidenceKey: () => evidenceKey(evidence),
    async *exportEvidence({ account_id: accountId, since }) {
      await viewsCurrent(ports, 'evidence')
      yield* evidenceLines(evidence, accountId, since)
    },
    async rotateEvidenceKey() {
      await viewsCurrent(ports, 'evidence')
      await evidence.checkpoints.rotate()
      return evidenceKey(evidence)
    },
    replay: (input) => replayLines({ store, pace, projections }, input),
    compareViews: () =>
      compareLines({ projections, viewCurrent: (name) => viewsCurrent(ports, name) }),
    backUp: () => backupLines(ports.backups),
    lastBackup: async () => lastBackup(ports.backups),
    ...feedOperations(ports),
    findEvent: ({ event_id: id }) => foundEvent(projections, id),
    listEvents: (query) => listEvents(ports, query),
    newestEvents: (query) => newestEvents(ports, query),
    tailEvents: (query = {}, signal = never) => tailEvents(ports, query, signal),
  }
}

/** A tree that is of another log is kept: the verification finds where the two differ. */
async function treeCurrent(ports: OperationPorts): Promise<void> {
  const tree = (await ports.projections.status()).find(({ name }) => name === 'evidence')
  if (tree?.state === 'failed' && tree.position >= tree.head) return
  await viewsCurrent(ports, 'evidence')
}
