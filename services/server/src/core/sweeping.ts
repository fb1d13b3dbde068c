/** Ends the requests that a dead server left open: soon after the start, and every few seconds. */

import type { ReachCrashPoint } from '@svc/contracts/crash-points'
import { accountStream } from '@svc/contracts/events/account'
import { systemClock } from '@svc/infra/system/system-clock'
import { systemTimer } from '@svc/infra/system/system-timer'
import { createSweeper, type RunningRow } from '@svc/ledger/sweeper'
import type { Logger } from 'pino'
import type { DataFolder } from '../data-folder/data-folder.ts'
import type { Core } from './core.ts'

/** A log that takes longer is swept as far as it was read, and again a few seconds later. */
const VIEWS_CAUGHT_UP_MS = 10_000

/** @returns stops it, and waits for the sweep that is on */
export function startSweeping(
  core: Core,
  folder: DataFolder,
  reach: ReachCrashPoint,
  logger: Logger,
): () => Promise<void> {
  const { ledger, projections, quarantine, gatewayId, place } = core
  // What a damaged account holds stays held until the account is whole again.
  const isWhole = ({ accountId }: RunningRow) =>
    quarantine.find(accountStream(accountId)) === undefined
  const sweeper = createSweeper({
    ledger,
    findRunning: (limit) => projections.views.runningRequests(limit).filter(isWhole),
    clock: systemClock,
    timer: systemTimer,
    isGone: place.kind === 'sqlite' ? isAnybodyElse : isEarlierRunOf(folder),
    gatewayId,
    reach,
    onError: (error) => logger.error({ err: error }, 'failed to end orphaned requests, retrying'),
  })
  void viewsCaughtUp(core).finally(() => sweeper.start())
  return () => sweeper.stop()
}

/** What a sweep ends it finds in a view: one that is behind the log does not show it yet. */
async function viewsCaughtUp({ store, projections }: Core): Promise<void> {
  try {
    await projections.reached(await store.lastPosition(), VIEWS_CAUGHT_UP_MS, 'requests')
  } catch {
    // The store is away: the sweep itself says so, and is made again.
  }
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
