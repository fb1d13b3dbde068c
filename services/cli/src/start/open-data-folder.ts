/** Opens the data folder of a stopped server, so that the CLI can read it and write to it. */
import { noCrashPoints } from '@svc/contracts/crash-points'
import { START } from '@svc/contracts/ports/event-store'
import { createLocalOperations } from '@svc/gateway/operations/local-operations'
import type { Operations } from '@svc/gateway/operations/operations'
import { isUnhandledClientError } from '@svc/infra/event-store/eventstoredb/client/unhandled-client-errors'
import { StoreOpenError } from '@svc/infra/store-open-error'
import { type Logger, pino } from 'pino'
import { EXIT_UNREACHABLE } from '../exit-codes.ts'
import { openBooks } from './books.ts'
import { DataFolder, NoLedgerError } from './data-folder.ts'
import { endOnDefects } from './defects.ts'
import { type LogPlace, shownPlace } from './log-place.ts'
import { VERSION } from './version.ts'

/** Another process holds the folder. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError'
}

export interface OpenedFolder {
  readonly operations: Operations
  close(): Promise<void>
}

/**
 * With the events on a server the folder only keeps the views, and is made when there is none.
 *
 * @param say takes a warning, such as that a damaged view is built anew
 * @throws {FolderInUseError} when another process has it open
 * @throws {NoLedgerError} when there is nothing to open; no event is written then
 * @throws {StoreOpenError} when the server of the events cannot be used
 */
export async function openDataFolder(
  dataDir: string,
  say: (warning: string) => void = () => {},
  place: LogPlace = { kind: 'sqlite' },
): Promise<OpenedFolder> {
  const folder = new DataFolder(dataDir)
  if (place.kind === 'sqlite' && !folder.holdsLedger())
    throw new NoLedgerError(folder.whyNoLedger())
  const logger = loggerTo(say)
  if (place.kind === 'eventstoredb')
    endOnDefects(logger, isUnhandledClientError, 'svc ends at once')
  const books = await open(folder, place, logger)
  if (place.kind === 'eventstoredb' && (await books.store.lastPosition()) === START) {
    await books.close()
    throw new NoLedgerError(`${shownPlace(place)} holds no ledger: make one with svc start`)
  }
  const operations = createLocalOperations({
    ...books,
    information: {
      version: VERSION,
      mode: 'stopped',
      baseUrl: null,
      dataDir: folder.path,
      storeKind: place.kind,
    },
  })
  return {
    operations,
    async close() {
      await books.close()
    },
  }
}

async function open(
  folder: DataFolder,
  place: LogPlace,
  logger: Logger,
): ReturnType<typeof openBooks> {
  try {
    return await openBooks({ folder, place, reach: noCrashPoints, logger, onFatal: endNow })
  } catch (error) {
    if (error instanceof StoreOpenError && error.code === 'in-use') {
      throw new FolderInUseError(error.message, { cause: error })
    }
    throw error
  }
}

/** The disk has failed under the event log: nothing that this process believes can be trusted. */
function endNow(error: unknown): never {
  const reason = error instanceof Error ? error.message : String(error)
  process.stderr.write(`svc: the disk of the ledger has failed: ${reason}\n`)
  process.exit(EXIT_UNREACHABLE)
}

/** The log of a server is for machines; here a person reads. */
function loggerTo(say: (warning: string) => void): Logger {
  const write = (line: string) => {
    const { msg } = JSON.parse(line) as { msg?: unknown }
    if (typeof msg === 'string') say(msg)
  }
  return pino({ level: 'warn', base: null }, { write })
}
