/**
 * Views and the note of the first run are made from ONE log. With a file that log lies beside them;
 * on a server it can be another one at the next start: another URL or prefix, a server that was
 * wiped, a folder that had a file before. So the folder notes the first event of its log, and where
 * it was.
 *
 *     nothing noted, or an empty log ─▶ this is the log now
 *     the noted event                ─▶ the same log: go on
 *     anything else                  ─▶ another log: refused. `svc start --accept-new-store` removes
 *                                       what was made from the old one; nothing else ever does
 *
 * This does not notice an older copy of the same log; the views do: they have seen what it lacks.
 */

import { pricingStream } from '@svc/contracts/events/pricing'
import { eventAt } from '@svc/contracts/ports/event-at'
import type { EventStore } from '@svc/contracts/ports/event-store'
import { pause } from '@svc/contracts/ports/time'
import { systemTimer } from '@svc/infra/system/system-timer'
import type { Logger } from 'pino'
import type { DataFolder } from '../data-folder/data-folder.ts'
import { DataFolderError } from '../data-folder/data-folder-error.ts'
import type { LogRecord } from '../data-folder/note-shapes.ts'
import { type ServerPlace, serverOf } from '../settings/log-location.ts'

/** A server that was killed finds all of its log a moment after it answers. */
export const LOG_WHOLE_TRIES = 10
export const LOG_WHOLE_PAUSE_MS = 500

export interface LogIdentityPorts {
  readonly folder: DataFolder
  readonly logger: Logger
  /** What becomes of what was made from another log: only an operator may say so. */
  readonly otherLog: 'refuse' | 'accept'
}

/**
 * Nothing is sold without a price, so the price list has the first event of every log.
 *
 * @returns undefined when its stream is damaged there: then the views tell whether it is that log
 */
async function firstEventOf(store: EventStore): Promise<string | null | undefined> {
  const first = await eventAt(store, { stream: pricingStream, revision: 0 })
  return first === 'damaged' ? undefined : (first?.id ?? null)
}

/**
 * Recognises the log. This has to come before anything in the folder is read or written that is
 * about it.
 *
 * @throws {DataFolderError} when it is another log than that of the folder, and that is refused
 */
export async function recogniseLog(
  store: EventStore,
  place: ServerPlace,
  { folder, logger, otherLog }: LogIdentityPorts,
): Promise<void> {
  const noted = folder.readLog()
  const firstEvent = await firstEventOfWhole(store, noted)
  const known = firstEvent === undefined ? (noted?.firstEvent ?? null) : firstEvent
  const log = { firstEvent: known, ...serverOf(place) }
  const isAnother =
    noted === undefined
      ? folder.holdsLedger()
      : noted.firstEvent !== null && noted.firstEvent !== log.firstEvent
  if (isAnother) {
    if (otherLog === 'refuse') throw anotherLog(folder, noted, log)
    const fields = { path: folder.path }
    logger.warn(fields, 'data folder was used with another event log, rebuilding all views')
    folder.forgetLog()
  }
  if (isAnother || !isSame(noted, log)) folder.writeLog(log)
}

/** When the first run has given an empty log its first event. */
export async function noteLog(
  store: EventStore,
  place: ServerPlace,
  folder: DataFolder,
): Promise<void> {
  const firstEvent = await firstEventOf(store)
  if (firstEvent === undefined) return
  const log = { firstEvent, ...serverOf(place) }
  if (!isSame(folder.readLog(), log)) folder.writeLog(log)
}

/**
 * Refuses to take a file for the log of a folder whose events are on a server. This has to come
 * before the file is opened: that would make one, which stands in the way of a move back.
 *
 * @throws {DataFolderError} unless an operator has accepted it
 */
export function refuseServerLog({ folder, otherLog }: Omit<LogIdentityPorts, 'logger'>): void {
  const noted = folder.readLog()
  if (noted === undefined || otherLog === 'accept') return
  throw new DataFolderError(`${leftServerOf(folder, noted)}: ${WAY_BACK}`)
}

/** The folder goes back to its own file. */
export function forgetServerLog({ folder, logger }: Omit<LogIdentityPorts, 'otherLog'>): void {
  const noted = folder.readLog()
  if (noted === undefined) return
  const reason = leftServerOf(folder, noted)
  logger.warn({ reason }, 'going back to ledger.db of the data folder, rebuilding all views')
  folder.forgetLog()
}

function leftServerOf(folder: DataFolder, noted: LogRecord): string {
  const where = whereOf(noted)
  return `${folder.path} was used with an EventStoreDB${where}, and EVENTSTORE_URL is not set now`
}

const WAY_BACK =
  'nothing was changed. Set EVENTSTORE_URL and SVC_EVENTSTORE_PREFIX as they were, or take another ' +
  'data folder; to give up what the folder holds of the other log, start with --accept-new-store'

async function firstEventOfWhole(
  store: EventStore,
  noted: LogRecord | undefined,
): Promise<string | null | undefined> {
  for (let tries = 1; ; tries += 1) {
    const found = await firstEventOf(store)
    const isExpected = noted !== undefined && noted.firstEvent !== null
    if (found !== null || !isExpected || tries === LOG_WHOLE_TRIES) return found
    await pause(systemTimer, LOG_WHOLE_PAUSE_MS)
  }
}

function anotherLog(
  folder: DataFolder,
  noted: LogRecord | undefined,
  log: LogRecord,
): DataFolderError {
  const used =
    noted === undefined
      ? 'holds events in its own ledger.db, and EVENTSTORE_URL is set now'
      : `was used with another event log than the one ${whereOf(log).trim()}: ${differenceOf(noted, log)}`
  return new DataFolderError(`${folder.path} ${used}: ${WAY_BACK}`)
}

/** What of the settings differs; where nothing does the server itself is another one. */
function differenceOf(noted: LogRecord, log: LogRecord): string {
  const differences = [
    ...differing('the address', noted.server, log.server),
    ...differing('SVC_EVENTSTORE_PREFIX', noted.streamPrefix, log.streamPrefix),
  ]
  if (differences.length > 0) return differences.join(', and ')
  return log.firstEvent === null
    ? 'the server holds no ledger, so it was wiped or is another one'
    : 'the server holds another ledger'
}

function differing(what: string, was: string | undefined, is: string | undefined): string[] {
  return was === undefined || was === is ? [] : [`${what} is ${is} and was ${was}`]
}

function whereOf({ server, streamPrefix }: LogRecord): string {
  return server === undefined ? '' : ` at ${server} (streams ${streamPrefix}*)`
}

function isSame(noted: LogRecord | undefined, log: LogRecord): boolean {
  return (
    noted?.firstEvent === log.firstEvent &&
    noted.server === log.server &&
    noted.streamPrefix === log.streamPrefix
  )
}
