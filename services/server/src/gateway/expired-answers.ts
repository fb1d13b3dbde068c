/**
 * Removes answers that have expired from the disk. Nobody is given one any more, but what a
 * customer asked and was answered stands there until it is removed.
 *
 *     start ─▶ remove all that has expired ─▶ pause ─▶ remove … until it is stopped
 */
import type { ExpiringStore } from '@svc/contracts/ports/expiring-store'
import { type Clock, pause, runUntilStopped, type Timer } from '@svc/contracts/ports/time'
import type { Logger } from 'pino'

const REMOVAL_INTERVAL_MS = 10 * 60_000
/** Texts that are removed at once: nothing else runs meanwhile. */
const REMOVAL_BATCH = 500

export interface ExpiredAnswersPorts {
  readonly stores: readonly Pick<ExpiringStore, 'removeExpired'>[]
  readonly clock: Clock
  readonly timer: Timer
  readonly logger: Pick<Logger, 'error'>
}

/** @returns stops it, and waits for the removal under way: then the stores can be closed */
export function startRemovingExpired(ports: ExpiredAnswersPorts): () => Promise<void> {
  return runUntilStopped(async (signal) => {
    while (!signal.aborted) {
      for (const store of ports.stores) await removeExpired(store, ports, signal)
      await pause(ports.timer, REMOVAL_INTERVAL_MS, signal)
    }
  })
}

/** A store that fails keeps no other from its turn. */
async function removeExpired(
  store: ExpiredAnswersPorts['stores'][number],
  { clock, timer, logger }: ExpiredAnswersPorts,
  signal: AbortSignal,
): Promise<void> {
  const now = clock.nowMs()
  try {
    for (let removed = REMOVAL_BATCH; removed === REMOVAL_BATCH && !signal.aborted; ) {
      removed = await store.removeExpired(now, REMOVAL_BATCH)
      await pause(timer, 0, signal)
    }
  } catch (err) {
    logger.error({ err }, 'failed to remove expired answers, retrying')
  }
}
