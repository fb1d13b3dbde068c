/**
 * What a start and a stop do differently with the events in a file of the data folder, and with the
 * events on a server, which other processes write as well and which may be away.
 */
import { START } from '@svc/contracts/ports/event-store'
import { untilAborted, within } from '@svc/contracts/ports/within'
import { steadyClock } from '@svc/infra/system/steady-clock'
import { systemTimer } from '@svc/infra/system/system-timer'
import type { Logger } from 'pino'
import { AccountNews } from '../core/account-news.ts'
import { type Core, type CoreOptions, openCore } from '../core/core.ts'
import { type FirstRun, prepareFirstRun } from '../core/first-run.ts'
import { noteLog } from '../core/log-identity.ts'
import type { OpenResources } from '../core/open-resources.ts'
import { type OpenStores, openStores, type StoreOptions } from '../core/open-store.ts'
import type { DataFolder } from '../data-folder/data-folder.ts'
import { DataFolderError } from '../data-folder/data-folder-error.ts'
import type { LogLocation, ServerPlace } from '../settings/log-location.ts'

/** How long the rest of a stop may take after the grace period, with the events on a server. */
const SERVER_CLOSE_MS = 2_000

export type LogSteps = ReturnType<typeof onServer>

export function logStepsOf(place: LogLocation): LogSteps {
  return place.kind === 'sqlite' ? inFile : onServer(place)
}

const inFile: LogSteps = {
  async openStores({ folder }) {
    const lost = folder.lostLedger()
    if (lost !== undefined) throw new DataFolderError(lost)
    return undefined
  },
  isFirstStart: (folder) => !folder.holdsLedger(),
  openCore(options) {
    options.folder.make()
    return openCore(options)
  },
  beginRun: prepareFirstRun,
  followAccounts: async () => undefined,
  closed: (closing) => closing,
}

/** The steps stand in the order in which they are taken. */
const onServer = (place: ServerPlace) => ({
  /**
   * Opens what can be opened without writing anything. It waits while the server is away; a stop
   * ends that wait, and what was opened by then ends with the process.
   */
  openStores(
    options: StoreOptions,
    parts: OpenResources,
    stopRequested: AbortSignal,
  ): Promise<OpenStores | undefined> {
    return untilAborted(openStores(options, parts), stopRequested)
  },

  isFirstStart: (folder: DataFolder) => folder.readLog() === undefined,

  openCore: (options: CoreOptions, stopRequested: AbortSignal) =>
    untilAborted(openCore(options), stopRequested),

  /** Records this run for the next start. A first start also makes what a newcomer needs. */
  async beginRun(core: Core, folder: DataFolder, first: FirstRun, modelWorks: Promise<void>) {
    // Empty again: the server was wiped, or it is another one.
    if ((await core.store.lastPosition()) === START) await modelWorks
    folder.noteRun(core.gatewayId)
    const demo = await prepareFirstRun(core, folder, first)
    await noteLog(core.store, place, folder)
    return demo
  },

  /** Follows what other processes write to the accounts that this one has in memory. */
  async followAccounts(
    core: Core,
    logger: Logger,
    parts: OpenResources,
  ): Promise<AccountNews | undefined> {
    const clocks = { clock: steadyClock, timer: systemTimer }
    const news = await AccountNews.start({ ...core, ...clocks, logger })
    parts.add(() => news.stop())
    return news
  },

  /**
   * Bounds a stop when the event store hangs. Appends under way may have been written or not, as
   * after a crash, and the next start finds out.
   *
   * @param graceMs how long requests may go on
   * @returns whether all was closed whole
   */
  async closed(closing: Promise<boolean>, graceMs: number, logger: Logger) {
    const isClean = await within(systemTimer, graceMs + SERVER_CLOSE_MS, closing, undefined)
    if (isClean === undefined) logger.error('the event store does not answer: stopped without it')
    return isClean ?? false
  },
})
