/**
 * The figures of this server for Prometheus. Those of requests are counted as they end; the others
 * are asked for at each scrape, side by side and for a bounded time.
 */

import type { EventStore } from '@svc/contracts/ports/event-store'
import { noQuarantine, type Quarantine } from '@svc/contracts/ports/quarantine'
import type { RequestObserver } from '@svc/contracts/ports/request-observer'
import { inTime } from '@svc/infra/system/system-timer'
import type { Projections } from '@svc/projections/open-projections'
import { type Feed, lagOf } from '../feed/feed.ts'
import type { TopUps } from '../feed/top-ups.ts'
import { STATE_TIMEOUT_MS, type WorkerFleet, workerSnapshots } from '../workers/worker-fleet.ts'
import type { SupervisedProcess } from '../workers/worker-summary.ts'
import { ledgerMetrics } from './catalogue.ts'
import { ProcessMetrics } from './process-metrics.ts'
import { RequestMetrics } from './request-metrics.ts'
import { SampleSheet } from './sample-sheet.ts'
import { workerSamples } from './worker-samples.ts'

const MS_PER_SECOND = 1_000
export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export interface MetricsSources {
  readonly fleet: Pick<WorkerFleet, 'workers'>
  readonly supervised: (workerId: string) => Pick<SupervisedProcess, 'restarts'> | undefined
  readonly projections: Pick<Projections, 'status'> & {
    readonly views: Pick<Projections['views'], 'accountTotals'>
  }
  readonly store?: Pick<EventStore, 'lastPosition'>
  /** Is undefined where no Kafka is named. */
  readonly feed?: Feed | undefined
  /** Default: nothing is ever set aside. */
  readonly quarantine?: Pick<Quarantine, 'list'>
}

export interface Metrics {
  /** Counts requests. */
  readonly requests: RequestObserver
  /** Writes all of them as Prometheus reads them. What does not answer in time is left out. */
  text(): Promise<string>
}

export function createMetrics(sources: MetricsSources): Metrics {
  const requests = new RequestMetrics()
  const process = new ProcessMetrics()
  return {
    requests,
    async text() {
      const texts = await Promise.all([
        requests.text(),
        ledgerText(sources),
        workersText(sources),
        process.text(),
      ])
      return texts.join('')
    },
  }
}

async function workersText({ fleet, supervised }: MetricsSources): Promise<string> {
  const restartsOf = (workerId: string) => supervised(workerId)?.restarts ?? 0
  return workerSamples(await workerSnapshots(fleet), restartsOf).text()
}

async function ledgerText({
  projections,
  store,
  feed,
  quarantine = noQuarantine,
}: MetricsSources): Promise<string> {
  const sheet = new SampleSheet(ledgerMetrics)
  sheet.write('svc_quarantined_streams', {}, quarantine.list().length)
  // The end of the log is read for it: a store on a network may be away.
  const views = await inTime(projections.status(), STATE_TIMEOUT_MS, [])
  for (const { name, state, position, head } of views) {
    const of = { projection: name }
    sheet.write('svc_projection_healthy', of, state === 'live' || state === 'catching-up' ? 1 : 0)
    sheet.write('svc_projection_lag_positions', of, Math.max(0, Number(head - position)))
  }
  if (feed !== undefined) await writeFeed(sheet, feed, store)
  if (feed?.topUps !== undefined) writeTopUps(sheet, feed.topUps)
  const holds = openRequests(projections)
  if (holds !== undefined) sheet.write('svc_holds_active', {}, holds)
  return sheet.text()
}

async function writeFeed(
  sheet: SampleSheet<keyof typeof ledgerMetrics>,
  feed: Feed,
  store: MetricsSources['store'],
): Promise<void> {
  const { position, waitingMs, trouble, lost } = feed.status()
  sheet.write('svc_feed_healthy', {}, trouble === null && lost === null ? 1 : 0)
  sheet.write('svc_feed_waiting_seconds', {}, waitingMs / MS_PER_SECOND)
  const asked = store?.lastPosition().catch(() => undefined) ?? Promise.resolve(undefined)
  const head = await inTime(asked, STATE_TIMEOUT_MS, undefined)
  if (head !== undefined) sheet.write('svc_feed_lag_positions', {}, Number(lagOf(position, head)))
}

function writeTopUps(sheet: SampleSheet<keyof typeof ledgerMetrics>, topUps: TopUps): void {
  const { trouble, skipped, waiting, granted, repeated, dead } = topUps.status()
  sheet.write('svc_topups_healthy', {}, trouble === null && skipped === null ? 1 : 0)
  sheet.write('svc_topups_waiting', {}, Number(waiting))
  for (const [outcome, count] of Object.entries({ granted, repeated, dead })) {
    sheet.write('svc_topups_total', { outcome }, count)
  }
}

/** A failed view cannot be queried; the metric of its health shows the failure. */
function openRequests({ views }: MetricsSources['projections']): number | undefined {
  try {
    return views.accountTotals().openRequests
  } catch {
    return undefined
  }
}
