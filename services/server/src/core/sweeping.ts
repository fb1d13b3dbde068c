/**
 * Ends the requests that dead servers left open, and writes off expired credit: soon after the
 * start, and every few seconds.
 */

import type { ReachCrashPoint } from '@svc/contracts/crash-points'
import { ServiceError } from '@svc/contracts/errors'
import { accountStream } from '@svc/contracts/events/account'
import { runningElsewhere } from '@svc/gateway/views-hop/views-elsewhere'
import { steadyClock } from '@svc/infra/system/steady-clock'
import { systemClock } from '@svc/infra/system/system-clock'
import { systemTimer } from '@svc/infra/system/system-timer'
import { type RunningQuery, type RunningRow, Sweeper, type SweeperWork } from '@svc/ledger/sweeper'
import type { Logger } from 'pino'
import type { DataFolder } from '../data-folder/data-folder.ts'
import { httpLimitsOf } from '../settings/http-limits.ts'
import type { Settings } from '../settings/settings.ts'
import type { Core } from './core.ts'

/** A log that takes longer is swept as far as it was read, and again a few seconds later. */
const VIEWS_CAUGHT_UP_MS = 10_000

const FAILURES: Readonly<Record<SweeperWork, string>> = {
  orphans: 'failed to end orphaned requests, retrying',
  expiry: 'failed to book expired credit, retrying',
}

export interface SweepingSurroundings {
  readonly folder: DataFolder
  readonly settings: Settings
  readonly reach: ReachCrashPoint
  readonly logger: Logger
  /**
   * `own`: only what this data folder's earlier servers left, and this one has given up. Credit
   * that is past its time is nobody's own.
   */
  readonly whose: 'anybody' | 'own'
}

/** @returns stops it, and waits for the sweep that is on */
export function startSweeping(
  core: Core,
  { folder, settings, reach, logger, whose }: SweepingSurroundings,
): () => Promise<void> {
  const { ledger, projections, quarantine, gatewayId, place, viewServers, pace } = core
  const isGone = place.kind === 'sqlite' ? isAnybodyElse : isEarlierRunOf(folder)
  // What a damaged account holds stays held until the account is whole again.
  const isWhole = ({ accountId }: Pick<RunningRow, 'accountId'>) =>
    quarantine.find(accountStream(accountId)) === undefined
  const isOurs = (row: RunningRow) =>
    whose === 'anybody' || row.gatewayId === gatewayId || isGone(row.gatewayId)
  const findRunning = (query: RunningQuery) =>
    viewServers === undefined
      ? pace.step(() => projections.views.runningRequests(query))
      : runningElsewhere(viewServers, query)
  const sweeper = new Sweeper({
    ledger,
    findRunning: async (query) => {
      const { rows, next } = await findRunning(query)
      return { rows: rows.filter((row) => isOurs(row) && isWhole(row)), next }
    },
    findEndedGrants: async (query) => {
      if (whose === 'own') return { rows: [], next: undefined }
      const asked = { ...query, isOpen: true }
      const { rows, next } = await pace.step(() => projections.views.grants(asked))
      return { rows: rows.filter(isWhole), next }
    },
    clock: systemClock,
    steadyClock,
    longestRequestMs: longestRequestOf(settings),
    timer: systemTimer,
    isGone,
    gatewayId,
    reach,
    onError: (error, work) => {
      if (!isOfNoViews(error)) logger.error({ err: error }, FAILURES[work])
    },
  })
  void viewsCaughtUp(core).finally(() => sweeper.start())
  return () => sweeper.stop()
}

/** The gateways of one log are given the same settings for it. @returns milliseconds */
function longestRequestOf(settings: Settings): number {
  const { requestDeadlineMs, settlingAllowanceMs } = httpLimitsOf(settings)
  return requestDeadlineMs + settlingAllowanceMs
}

/** What a sweep ends it finds in a view: one that is behind the log does not show it yet. */
async function viewsCaughtUp({ store, projections }: Core): Promise<void> {
  try {
    await projections.reached(await store.lastPosition(), VIEWS_CAUGHT_UP_MS, 'requests')
  } catch {
    // The store is away: the sweep itself says so, and is made again.
  }
}

/** When no server with views answers, whoever asked it logs that: it is no failure of the sweep. */
function isOfNoViews(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'view_behind'
}

/** Only this process can have the SQLite file open, so whoever else left a request open is dead. */
function isAnybodyElse(): boolean {
  return true
}

/**
 * On a server other gateways live. But this process has the folder for itself, so whoever ran on it
 * before is dead.
 */
function isEarlierRunOf(folder: DataFolder): (gatewayId: string) => boolean {
  const runs = new Set(folder.readRuns())
  return (gatewayId) => runs.has(gatewayId)
}
