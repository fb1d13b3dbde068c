/**
 * Views and the note of the first run are made from ONE log. With a file that log lies beside them;
 * on a server it can be another one at the next start: another URL or prefix, a server that was
 * wiped, a folder that had a file before. So the folder notes the first event of its log.
 *
 *     nothing noted, or an empty log ─▶ this is the log now
 *     the noted event                ─▶ the same log: go on
 *     anything else                  ─▶ another log: what was made from the old one is removed
 *
 * This does not notice an older copy of the same log; the views do: they have seen what it lacks.
 */

import { pricingStream } from '@svc/contracts/events/pricing'
import type { EventStore } from '@svc/contracts/ports/event-store'
import type { Logger } from 'pino'
import type { DataFolder, LogRecord } from '../data-folder/data-folder.ts'

/** Nothing is sold without a price, so the price list has the first event of every log. */
async function logOf(store: EventStore): Promise<LogRecord> {
  const [first] = await store.readStream({
    stream: pricingStream,
    direction: 'forwards',
    from: 0,
    limit: 1,
  })
  return { firstEvent: first?.id ?? null }
}

/** Before anything in the folder is read or written that is about the log. */
export async function recogniseLog(
  store: EventStore,
  folder: DataFolder,
  logger: Logger,
): Promise<void> {
  const log = await logOf(store)
  const noted = folder.readLog()
  const isAnother =
    noted === undefined
      ? folder.holdsLedger()
      : noted.firstEvent !== null && noted.firstEvent !== log.firstEvent
  if (isAnother) {
    logger.warn(
      `${folder.path} was used with another event log: its views are removed and built anew`,
    )
    folder.forgetLog()
  }
  if (isAnother || noted?.firstEvent !== log.firstEvent) folder.writeLog(log)
}

/** When the first run has given an empty log its first event. */
export async function noteLog(store: EventStore, folder: DataFolder): Promise<void> {
  const log = await logOf(store)
  if (folder.readLog()?.firstEvent !== log.firstEvent) folder.writeLog(log)
}

/** The folder goes back to its own file. */
export function forgetServerLog(folder: DataFolder, logger: Logger): void {
  if (folder.readLog() === undefined) return
  logger.warn(
    `${folder.path} was used with an EventStoreDB, and EVENTSTORE_URL is not set now: ` +
      'the events are in its own ledger.db, and its views are removed and built anew',
  )
  folder.forgetLog()
}
