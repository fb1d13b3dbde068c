/** Opens the data folder of a stopped server, so that the CLI can read it and write to it. */
import { noCrashPoints } from '@svc/contracts/crash-points'
import { createLocalOperations } from '@svc/gateway/operations/local-operations'
import type { Operations } from '@svc/gateway/operations/operations'
import { StoreOpenError } from '@svc/infra/sqlite/store-open-error'
import { type Logger, pino } from 'pino'
import { EXIT_UNREACHABLE } from '../exit-codes.ts'
import { openBooks } from './books.ts'
import { DataFolder, DataFolderError } from './data-folder.ts'
import { VERSION } from './version.ts'

/** Another process holds the event log of the folder. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError'
}

export interface OpenedFolder {
  readonly operations: Operations
  close(): Promise<void>
}

/**
 * @param say takes a warning, such as that a damaged view is built anew
 * @throws {FolderInUseError} when another process has it open
 * @throws {DataFolderError} when it holds no ledger; nothing is written then
 */
export async function openDataFolder(
  dataDir: string,
  say: (warning: string) => void = () => {},
): Promise<OpenedFolder> {
  const folder = new DataFolder(dataDir)
  if (!folder.holdsLedger()) throw new DataFolderError(`${folder.path} holds no ledger`)
  const books = await open(folder, loggerTo(say))
  const operations = createLocalOperations({
    ...books,
    information: {
      version: VERSION,
      mode: 'stopped',
      baseUrl: null,
      dataDir: folder.path,
      storeKind: 'sqlite',
    },
  })
  return {
    operations,
    async close() {
      await books.close()
    },
  }
}

async function open(folder: DataFolder, logger: Logger): ReturnType<typeof openBooks> {
  try {
    return await openBooks({ folder, reach: noCrashPoints, logger, onFatal: endNow })
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
