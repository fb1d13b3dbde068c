/** What a service is and how far it is, at a glance. */
import type { ServiceStatus } from '@svc/contracts/admin/workers'
import { workerSummaries } from '../workers/worker-summary.ts'
import { type OperationPorts, viewsCurrent } from './ports.ts'
import { unpricedModels } from './unpriced-models.ts'
import { projectionState } from './values/details.ts'

export async function serviceStatus(ports: OperationPorts): Promise<ServiceStatus> {
  const { ledger, projections, store, information } = ports
  const { version, mode, baseUrl, dataDir, storeKind } = information
  // A folder just opened has views that are about to follow; a server shows them as they are.
  if (mode === 'stopped') await viewsCurrent(ports, 'accounts')
  const position = await store.lastPosition()
  const lines = (await projections.status()).map(projectionState)
  // Read last, so that they hold whatever the positions say that the views have.
  const totals = projections.views.accountTotals()
  const workers = workerSummaries(ports)
  return {
    version,
    mode,
    base_url: baseUrl,
    data_dir: dataDir,
    store: { kind: storeKind, position: `${position}` },
    projections: lines,
    workers,
    unpriced_models: unpricedModels(ledger, workers),
    accounts: totals.accounts,
    open_requests: totals.openRequests,
  }
}
