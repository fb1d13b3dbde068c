/** Ends the requests that a dead server left open: soon after the start, and every few seconds. */
import type { ReachCrashPoint } from '@svc/contracts/crash-points'
import { systemClock } from '@svc/infra/system/system-clock'
import { systemTimer } from '@svc/infra/system/system-timer'
import { createSweeper } from '@svc/ledger/sweeper'
import type { Logger } from 'pino'
import type { Books } from './books.ts'

/** @returns stops it, and waits for the sweep that is on */
export function startSweeping(
  books: Books,
  reach: ReachCrashPoint,
  logger: Logger,
): () => Promise<void> {
  const { ledger, projections, gatewayId } = books
  const sweeper = createSweeper({
    ledger,
    findRunning: (limit) => projections.views.runningRequests(limit),
    clock: systemClock,
    timer: systemTimer,
    // Only this process can have the SQLite file open, so whoever else left a request open is dead.
    exclusiveStore: true,
    gatewayId,
    reach,
    onError: (error) => logger.error({ err: error }, 'orphaned requests could not be ended'),
  })
  sweeper.start()
  return () => sweeper.stop()
}
