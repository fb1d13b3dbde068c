/** The data folder, as it lies there: nothing in it is opened by SQLite, which would write. */
import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '@svc/contracts/error-message'
import { looksLikeEventLog } from '@svc/infra/event-store/sqlite/event-log-file'
import { BackupPlace } from '../backup/backup-place.ts'
import type { DataFolder } from '../data-folder/data-folder.ts'
import { nearestExisting } from '../data-folder/folder-safety.ts'
import type { LogLocation } from '../settings/log-location.ts'
import { type Finding, note, ok, problem } from './finding.ts'

const OTHERS = 0o077
/** Names in one message. */
const NAMES_MAX = 3

const HIDDEN = 'not looked at: this user sees nothing in the data folder'

/** Whether what lies in the folder looks as if it were not there, or is not listed. */
function isHidden(path: string): boolean {
  try {
    accessSync(nearestExisting(path), constants.R_OK | constants.X_OK)
    return false
  } catch {
    return true
  }
}

/** @throws {DataFolderError} as a start would, that a move of the ledger was cut off included */
export function lookAtFolder(folder: DataFolder): Finding {
  folder.check()
  const backup = folder.readBackup()
  if (backup !== undefined) {
    const what = `${folder.path}: a backup of ${backup.writtenAt} that no server has run on`
    return note('data folder', `${what}: erase and revoke again what was erased or revoked since`)
  }
  const isThere = existsSync(folder.path)
  return ok('data folder', `${folder.path}${isThere ? '' : ': a first start makes it'}`)
}

export function lookAtPermissions({ path }: DataFolder): Finding {
  if (process.platform === 'win32') return ok('permissions', 'Windows has its own')
  if (isHidden(path)) return note('permissions', HIDDEN)
  if (!existsSync(path)) return ok('permissions', 'a first start makes the folder for its owner')
  const open = [path, ...readdirSync(path).map((name) => join(path, name))].filter(
    (file) => (statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS,
  )
  if (open.length === 0)
    return ok('permissions', 'the folder and its files are for their owner only')
  const named = open.slice(0, NAMES_MAX).join(', ')
  const more = open.length > NAMES_MAX ? ` and ${open.length - NAMES_MAX} more` : ''
  return problem(
    'permissions',
    `other users reach ${named}${more}: run "chmod -R go-rwx '${path}'"`,
  )
}

/** @throws {StoreOpenError} when the file is none of ours, or of a newer version */
export function lookAtLedgerFile(folder: DataFolder, place: LogLocation): Finding {
  const { ledgerFile: file } = folder
  if (place.kind === 'sqlite') {
    if (folder.readLog() !== undefined) return problem('ledger', folder.whyNoLedger())
    if (isHidden(folder.path)) return note('ledger', HIDDEN)
    const lost = folder.lostLedger()
    if (lost !== undefined) return problem('ledger', lost)
    if (!folder.holdsLedger()) return ok('ledger', 'none yet: a first start makes it')
    looksLikeEventLog(file)
    return ok('ledger', `${file}, ${Math.ceil(statSync(file).size / 1024 ** 2)} MiB`)
  }
  const isOther = folder.holdsLedger() && folder.readLog() === undefined
  if (!isOther) return ok('ledger', 'on the EventStoreDB')
  const way = 'svc migrate --to eventstoredb moves it, or unset EVENTSTORE_URL'
  return problem('ledger', `${file} holds the ledger, and EVENTSTORE_URL is set: ${way}`)
}

/** Of a note that is damaged nothing is lost: the next backup writes it anew. */
function lastOf(folder: DataFolder): string {
  try {
    const last = folder.readLastBackup()
    if (last === undefined) return 'it has written none yet'
    return `it wrote the last one at ${last.writtenAt}`
  } catch {
    return 'when it wrote the last one is not known'
  }
}

/**
 * What a backup would meet. A place that the operator has named is meant to be used.
 *
 * @param named in SVC_BACKUP_DIR
 */
export async function lookAtBackups(
  folder: DataFolder,
  named: string | undefined,
): Promise<Finding> {
  const place = new BackupPlace(folder, named)
  if (isHidden(folder.path)) return note('backups', HIDDEN)
  try {
    // A first start makes the folder that they would be in.
    if (named !== undefined || existsSync(folder.path)) place.check()
    await place.requireSpace()
  } catch (error) {
    if (named !== undefined) throw error
    return note('backups', messageOf(error))
  }
  const beside = named === undefined ? ': better on another disk, named in SVC_BACKUP_DIR' : ''
  return ok('backups', `svc backup may write to ${place.path}${beside}; ${lastOf(folder)}`)
}
