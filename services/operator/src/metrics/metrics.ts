/**
 * The figures of this server for Prometheus. Those of requests are counted as they end; the others
 * are asked for at each scrape, side by side and for a bounded time.
 */

import type { RequestObserver } from '@svc/contracts/ports/request-observer'
import { inTime } from '@svc/infra/system/system-timer'
import type { Backups } from '../operations/log/backups.ts'
import { STATE_TIMEOUT_MS, type WorkerFleet, workerSnapshots } from '../workers/worker-fleet.ts'
import type { SupervisedProcess } from '../workers/worker-summary.ts'
import { serverMetrics } from './catalogue.ts'
import { LastVerification, type LastVerificationPorts } from './last-verification.ts'
import { type LedgerSources, ledgerSamples, writeVerification } from './ledger-samples.ts'
import { ProcessMetrics } from './process-metrics.ts'
import { RequestMetrics } from './request-metrics.ts'
import { SampleSheet } from './sample-sheet.ts'
import { workerSamples } from './worker-samples.ts'

const MS_PER_SECOND = 1_000
export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export interface MetricsSources extends LedgerSources, LastVerificationPorts {
  readonly fleet: Pick<WorkerFleet, 'workers'>
  readonly supervised: (workerId: string) => Pick<SupervisedProcess, 'restarts'> | undefined
  /** Whether `/readyz` says that requests can be taken. */
  readonly isReady: () => Promise<boolean>
  /** What is free on the disk of the data folder. */
  readonly freeBytes: () => Promise<number>
  /** Default: the events are elsewhere, and their backups with them. */
  readonly backups?: Pick<Backups, 'last'> | undefined
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
  const verification = new LastVerification(sources)
  return {
    requests,
    async text() {
      const texts = await Promise.all([
        requests.text(),
        serverText(sources),
        ledgerText(sources, verification),
        workersText(sources),
        process.text(),
      ])
      return texts.join('')
    },
  }
}

async function ledgerText(sources: LedgerSources, verification: LastVerification): Promise<string> {
  const [sheet, last] = await Promise.all([ledgerSamples(sources), verification.look()])
  if (last !== undefined) writeVerification(sheet, last)
  return sheet.text()
}

async function serverText({ isReady, freeBytes, backups }: MetricsSources): Promise<string> {
  const sheet = new SampleSheet(serverMetrics)
  const [ready, free] = await Promise.all([
    inTime(isReady(), STATE_TIMEOUT_MS, undefined),
    inTime(freeBytes(), STATE_TIMEOUT_MS, undefined),
  ])
  if (ready !== undefined) sheet.write('svc_ready', {}, ready ? 1 : 0)
  if (free !== undefined) sheet.write('svc_data_folder_free_bytes', {}, free)
  const backupAtMs = backups === undefined ? undefined : lastBackupAtMs(backups)
  if (backupAtMs !== undefined) {
    sheet.write('svc_last_backup_timestamp_seconds', {}, backupAtMs / MS_PER_SECOND)
  }
  return sheet.text()
}

/** @returns 0 before the first one; undefined when nobody knows, because its note is damaged */
function lastBackupAtMs(backups: Pick<Backups, 'last'>): number | undefined {
  try {
    const last = backups.last()
    return last === undefined ? 0 : Date.parse(last.writtenAt)
  } catch {
    return undefined
  }
}

async function workersText({ fleet, supervised }: MetricsSources): Promise<string> {
  const restartsOf = (workerId: string) => supervised(workerId)?.restarts ?? 0
  return workerSamples(await workerSnapshots(fleet), restartsOf).text()
}
