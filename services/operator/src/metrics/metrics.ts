/**
 * The figures of this server for Prometheus. Those of requests are counted as they end; the others
 * are asked for at each scrape, side by side and for a bounded time.
 */

import type { RequestObserver } from '@svc/contracts/ports/request-observer'
import { inTime } from '@svc/infra/system/system-timer'
import { STATE_TIMEOUT_MS, type WorkerFleet, workerSnapshots } from '../workers/worker-fleet.ts'
import type { SupervisedProcess } from '../workers/worker-summary.ts'
import { serverMetrics } from './catalogue.ts'
import { type LedgerSources, ledgerSamples } from './ledger-samples.ts'
import { ProcessMetrics } from './process-metrics.ts'
import { RequestMetrics } from './request-metrics.ts'
import { SampleSheet } from './sample-sheet.ts'
import { workerSamples } from './worker-samples.ts'

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export interface MetricsSources extends LedgerSources {
  readonly fleet: Pick<WorkerFleet, 'workers'>
  readonly supervised: (workerId: string) => Pick<SupervisedProcess, 'restarts'> | undefined
  /** Whether `/readyz` says that requests can be taken. */
  readonly isReady: () => Promise<boolean>
  /** What is free on the disk of the data folder. */
  readonly freeBytes: () => Promise<number>
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
        serverText(sources),
        ledgerSamples(sources).then((sheet) => sheet.text()),
        workersText(sources),
        process.text(),
      ])
      return texts.join('')
    },
  }
}

async function serverText({ isReady, freeBytes }: MetricsSources): Promise<string> {
  const sheet = new SampleSheet(serverMetrics)
  const [ready, free] = await Promise.all([
    inTime(isReady(), STATE_TIMEOUT_MS, undefined),
    inTime(freeBytes(), STATE_TIMEOUT_MS, undefined),
  ])
  if (ready !== undefined) sheet.write('svc_ready', {}, ready ? 1 : 0)
  if (free !== undefined) sheet.write('svc_data_folder_free_bytes', {}, free)
  return sheet.text()
}

async function workersText({ fleet, supervised }: MetricsSources): Promise<string> {
  const restartsOf = (workerId: string) => supervised(workerId)?.restarts ?? 0
  return workerSamples(await workerSnapshots(fleet), restartsOf).text()
}
