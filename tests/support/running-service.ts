/** A ledger with its views on an empty event log in memory, and the operations on it. */
import { join } from 'node:path'
import type { Caller } from '@svc/contracts/admin/caller'
import type { Operations } from '@svc/contracts/admin/operations'
import type { TextStore } from '@svc/contracts/ports/text-store'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { durableFile } from '@svc/infra/sqlite/durable-file'
import { SharedPace } from '@svc/infra/system/shared-pace'
import { systemClock } from '@svc/infra/system/system-clock'
import { systemTimer } from '@svc/infra/system/system-timer'
import type { AdminTokens } from '@svc/operator/access/admin-tokens'
import {
  createLocalOperations,
  type OperationPorts,
} from '@svc/operator/operations/local-operations'
import { NameMemory } from '@svc/operator/operations/name-memory'
import { openProjections } from '@svc/projections/open-projections'
import { onTestFinished } from 'vitest'
import { adminTokensOn, auditTrailOn, usersOn } from './admin-access.ts'
import { evidenceOn } from './evidence-sources.ts'
import { openRunningLedger } from './ledger/running-ledger.ts'
import { refusedRequestsIn } from './refused-requests.ts'
import { temporaryFolder } from './temporary-folder.ts'

export interface RunningService {
  readonly store: MemoryEventStore
  readonly texts: TextStore
  readonly adminTokens: AdminTokens
  operationsOf(caller: Caller): Operations
}

/** @param more such as workers, or the clock that operations look at. Ends with the test. */
export async function openRunningService(
  more: Partial<OperationPorts> = {},
): Promise<RunningService> {
  const store = new MemoryEventStore()
  const { ledger, texts } = await openRunningLedger(store)
  const pace = new SharedPace()
  const dataDir = temporaryFolder()
  const log = { info() {}, warn() {}, error() {} }
  const folder = join(dataDir, 'views')
  const projections = await openProjections({
    folder,
    store,
    timer: systemTimer,
    keepFile: durableFile,
    log,
    pace,
  })
  projections.start()
  onTestFinished(async () => {
    await ledger.close()
    refusedRequests.close()
    await people.userRecords.close()
    await projections.close()
    await store.close()
  })
  const adminTokens = adminTokensOn(store, systemClock, texts)
  const refusedRequests = refusedRequestsIn(dataDir)
  const people = usersOn(store, dataDir)
  const { clock = systemClock } = more
  const ports: OperationPorts = {
    ...more,
    ledger,
    projections,
    store,
    texts,
    pace,
    clock,
    names: new NameMemory({ texts, clock }),
    evidence: evidenceOn(store, projections.views, projections.reached),
    ...people,
    adminTokens,
    auditTrail: auditTrailOn(store, systemClock, texts),
    refusedRequests,
    information: {
      version: 'test',
      mode: 'running',
      baseUrl: null,
      dataDir,
      storeKind: 'memory',
    },
  }
  return {
    store,
    texts,
    adminTokens,
    operationsOf: (caller) => createLocalOperations(ports, caller),
  }
}
