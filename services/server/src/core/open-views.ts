/** The views of the log: opened here and built by threads, or asked of servers that have them. */
import { availableParallelism } from 'node:os'
import type { ReachCrashPoint } from '@svc/contracts/crash-points'
import type { SnapshotStore } from '@svc/contracts/ports/snapshot-store'
import { pause } from '@svc/contracts/ports/time'
import type { UsedKeys } from '@svc/contracts/ports/used-keys'
import type { ViewServers } from '@svc/gateway/views-hop/view-servers'
import { usedKeysElsewhere } from '@svc/gateway/views-hop/views-elsewhere'
import { durableFile } from '@svc/infra/sqlite/durable-file'
import { systemTimer } from '@svc/infra/system/system-timer'
import { threadEnvironment } from '@svc/infra/system/thread-environment'
import {
  type OpenProjections,
  openProjections,
  type Projections,
} from '@svc/projections/open-projections'
import { OlderLogError } from '@svc/projections/runner/foreign-views'
import type { Logger } from 'pino'
import type { DataFolder } from '../data-folder/data-folder.ts'
import { DataFolderError } from '../data-folder/data-folder-error.ts'
import { type LogLocation, shownLocation } from '../settings/log-location.ts'
import { LOG_WHOLE_PAUSE_MS, LOG_WHOLE_TRIES, type LogIdentityPorts } from './log-identity.ts'
import { loggedKeys } from './logged-keys.ts'
import { noProjections } from './no-projections.ts'

/** More would wait for the slowest view and for the reading of the log. */
const THREADS_MAX = 3
/** Folded in an eighth of a second: about what the start of a thread takes. */
const LONG_EVENTS = 5_000

export interface ViewsOptions {
  readonly folder: DataFolder
  readonly place: LogLocation
  readonly reach: ReachCrashPoint
  readonly logger: Logger
  /** Servers that are asked for what views know; then no views are built here. */
  readonly viewServers?: ViewServers | undefined
  /**
   * What becomes of the folder when the log is another one, or an older copy. Default: it is
   * refused, and nothing changes.
   */
  readonly otherLog?: LogIdentityPorts['otherLog'] | undefined
  /**
   * What becomes of views that have seen what the log does not hold: only the start of a server
   * builds them anew. Default: `leave`.
   */
  readonly foreignViews?: 'rebuild' | 'leave' | undefined
}

interface ViewsAndKeys {
  readonly projections: Projections
  readonly usedKeys: UsedKeys
}

/** Views of one's own, or servers that have them. */
export async function openViewsAndKeys(
  options: ViewsOptions,
  ports: Pick<OpenProjections, 'store' | 'pace' | 'quarantine' | 'inspect'>,
  snapshots: Pick<SnapshotStore, 'clear'>,
): Promise<ViewsAndKeys> {
  const { viewServers } = options
  if (viewServers !== undefined) {
    return { projections: noProjections(ports.store), usedKeys: usedKeysElsewhere(viewServers) }
  }
  const projections = await openViews(options, ports, snapshots)
  return { projections, usedKeys: loggedKeys(projections) }
}

/**
 * Opens the views. A file of events may have been restored and is the truth then: the views are
 * built anew.
 */
async function openViews(
  { folder, place, reach, logger, otherLog, foreignViews = 'leave' }: ViewsOptions,
  ports: Pick<OpenProjections, 'store' | 'pace' | 'quarantine' | 'inspect'>,
  snapshots: Pick<SnapshotStore, 'clear'>,
): Promise<Projections> {
  const options = {
    folder: folder.viewsFolder,
    ...ports,
    reach,
    log: logger,
    timer: systemTimer,
    keepFile: durableFile,
    threads: buildThreads(),
  }
  if (foreignViews === 'leave') return openProjections({ ...options, olderLog: 'leave' })
  if (place.kind === 'sqlite') return openProjections(options)
  for (let tries = 1; ; tries += 1) {
    try {
      return await openProjections({ ...options, olderLog: 'refuse' })
    } catch (error) {
      if (!(error instanceof OlderLogError)) throw error
      if (tries < LOG_WHOLE_TRIES) await pause(systemTimer, LOG_WHOLE_PAUSE_MS)
      else if (otherLog !== 'accept') throw olderCopy(shownLocation(place), error)
      else {
        logger.warn({ reason: error.message }, 'older event log accepted, rebuilding all views')
        folder.forgetViews()
        snapshots.clear()
      }
    }
  }
}

function olderCopy(place: string, cause: OlderLogError): DataFolderError {
  return new DataFolderError(
    `${place}: ${cause.message}. If a backup was restored there, start with --accept-new-store: ` +
      'the views are built from what the log holds',
    { cause },
  )
}

function buildThreads(): NonNullable<OpenProjections['threads']> {
  // One core is left to the thread that serves and reads the log.
  const count = Math.max(1, Math.min(availableParallelism() - 1, THREADS_MAX))
  return { count, longEvents: LONG_EVENTS, environment: threadEnvironment() }
}
