/** Tells at a glance what a service is and how far it is. */
import type { ServiceStatus } from '@svc/contracts/admin/workers'
import { StoreUnavailableError } from '@svc/contracts/ports/event-store'
import { noQuarantine, type StreamDamage } from '@svc/contracts/ports/quarantine'
import { healthyStore } from '@svc/contracts/ports/store-health'
import { timeAheadOf } from '@svc/infra/event-store/newest-time'
import { feedDetails } from '../feed/feed.ts'
import { topUpDetails } from '../feed/top-ups.ts'
import { workerSummaries } from '../workers/worker-summary.ts'
import { overdueHolds } from './credit/overdue-holds.ts'
import { type OperationPorts, viewsCurrent } from './ports.ts'
import { unpricedModels } from './unpriced-models.ts'
import { projectionState } from './values/details.ts'
import { optionalTimeText, timeText } from './values/rfc3339-times.ts'

export async function serviceStatus(ports: OperationPorts): Promise<ServiceStatus> {
  const { ledger, projections, information } = ports
  const { version, mode, baseUrl, dataDir, storeKind } = information
  const log = await logState(ports)
  // A folder just opened has views that are about to follow; a server shows them as they are.
  if (mode === 'stopped' && log.position !== null) await viewsCurrent(ports, 'accounts')
  const views = log.position === null ? projections.lastStatus() : await projections.status()
  // The counts are read last, so that they hold whatever the positions say that the views have.
  const counts = countsInViews(ports)
  const workers = workerSummaries(ports)
  const unpriced = unpricedModels(ledger.pricing, workers)
  return {
    version,
    mode,
    base_url: baseUrl,
    data_dir: dataDir,
    store: { kind: storeKind, ...log },
    feed: feedDetails(ports.feed, log.position === null ? null : BigInt(log.position)),
    top_ups: topUpDetails(ports.feed?.topUps),
    projections: views.map(projectionState),
    workers,
    unpriced_models: [...unpriced.names],
    priced_from: optionalTimeText(unpriced.pricedFrom),
    ...counts,
  }
}

/** A gateway that has no views knows how all else is: its operator is told that. */
function countsInViews(
  ports: OperationPorts,
): Pick<ServiceStatus, 'accounts' | 'open_requests' | 'overdue_holds'> {
  const { projections, information } = ports
  if (information.hasViews === false) {
    return { accounts: null, open_requests: null, overdue_holds: null }
  }
  const { accounts, openRequests } = projections.views.accountTotals()
  return { accounts, open_requests: openRequests, overdue_holds: overdueHolds(ports) }
}

/** Status is asked for above all when something is wrong: a store that is away hides nothing. */
async function logState({
  store,
  clock,
  storeHealth = healthyStore,
  quarantine = noQuarantine,
}: OperationPorts): Promise<Pick<ServiceStatus['store'], 'position' | 'problems'>> {
  const troubles = () => [
    ...storeHealth.troubles().map(({ message }) => message),
    ...quarantine.noted().map(troubleOf),
  ]
  try {
    const position = await store.lastPosition()
    const problems = [...troubles(), ...clockTroubles(await timeAheadOf(clock, store))]
    return { position: `${position}`, problems }
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error
    return { position: null, problems: [...new Set([...troubles(), error.message])] }
  }
}

/** A clock is also set while a server runs, and requests go on being charged at its time. */
function clockTroubles(newestMs: number | undefined): readonly string[] {
  if (newestMs === undefined) return []
  const newest = `the newest events are of ${timeText(newestMs)}`
  return [`${newest}, ahead of the clock of this machine, which is wrong or was: look at its time`]
}

function troubleOf({ stream, revision, cause }: StreamDamage): string {
  const where = revision === null ? '' : ` at revision ${revision}`
  return `the stream ${stream} is damaged${where} and set aside: ${cause}`
}
