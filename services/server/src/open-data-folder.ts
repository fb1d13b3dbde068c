/** Opens the data folder of a stopped server, so that an operator can read it and write to it. */

import { rootCaller } from '@svc/contracts/admin/caller'
import type { Operations } from '@svc/contracts/admin/operations'
import { noCrashPoints } from '@svc/contracts/crash-points'
import { START } from '@svc/contracts/ports/event-store'
import { StoreOpenError } from '@svc/infra/store-open-error'
import { systemClock } from '@svc/infra/system/system-clock'
import {
  createLocalOperations,
  type OperationPorts,
} from '@svc/operator/operations/local-operations'
import { type Core, type CoreOptions, openCore } from './core/core.ts'
import { loggerTo } from './core/warning-logger.ts'
import { DataFolder, NoLedgerError } from './data-folder/data-folder.ts'
import { removeKeptAnswers } from './data-folder/kept-answers-files.ts'
import { type LogLocation, shownLocation } from './settings/log-location.ts'
import { VERSION } from './version.ts'

/** Another process holds the folder. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError'
}

export interface OpenFolderOptions {
  /** Where the events are. By default they are in the folder. */
  readonly place?: LogLocation
  /** Where backups are written. Default: in a folder of the data folder. */
  readonly backupDir?: string | undefined
  /** Signs checkpoints instead of the key of the folder. */
  readonly evidenceKey?: string | undefined
  /** Takes warnings, such as that a damaged view is built anew. */
  readonly warn?: (warning: string) => void
  /** Is called once when the disk has failed under the event log: the process must end. */
  readonly onFatal?: (error: unknown) => void
}

export interface OpenedFolder {
  readonly operations: Operations
  close(): Promise<void>
}

/**
 * Opens a data folder. When the events are on a server the folder only keeps the views, and is made
 * when there is none.
 *
 * @throws {FolderInUseError} when another process has it open
 * @throws {NoLedgerError} when there is nothing to open; no event is written then
 * @throws {StoreOpenError} when the server of the events cannot be used
 */
export async function openDataFolder(
  dataDir: string,
  {
    place = { kind: 'sqlite' },
    warn = () => {},
    onFatal,
    evidenceKey,
    backupDir,
  }: OpenFolderOptions = {},
): Promise<OpenedFolder> {
  const folder = new DataFolder(dataDir)
  if (place.kind === 'sqlite' && !folder.holdsLedger())
    throw new NoLedgerError(folder.whyNoLedger())
  const core = await open({
    folder,
    place,
    evidenceKey,
    backupDir,
    logger: loggerTo(warn),
    reach: noCrashPoints,
    onFatal: onFatal ?? throwIt,
  })
  if (place.kind === 'eventstoredb' && (await core.store.lastPosition()) === START) {
    await core.close()
    throw new NoLedgerError(`${shownLocation(place)} holds no ledger: make one with svc start`)
  }
  const ports: OperationPorts = {
    ...core,
    clock: systemClock,
    keptAnswers: { removeAll: (accountId) => removeKeptAnswers(folder, accountId) },
    information: {
      version: VERSION,
      mode: 'stopped',
      baseUrl: null,
      dataDir: folder.path,
      storeKind: place.kind,
    },
  }
  return {
    operations: createLocalOperations(ports, rootCaller),
    async close() {
      await core.close()
    },
  }
}

async function open(options: CoreOptions): Promise<Core> {
  try {
    return await openCore(options)
  } catch (error) {
    if (error instanceof StoreOpenError && error.code === 'in-use') {
      throw new FolderInUseError(error.message, { cause: error })
    }
    throw error
  }
}

/** Ends a process without an owner: nothing that it believes of the log can be trusted. */
function throwIt(error: unknown): never {
  throw error
}
