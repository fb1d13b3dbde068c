/**
 * Where backups of a data folder go. Whether one can be written there is looked at before anything
 * is written, and by whoever only wants to know.
 */
import { existsSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { ServiceError } from '@svc/contracts/errors'
import { freeBytes } from '@svc/infra/free-bytes'
import { realPathOf } from '@svc/infra/system/real-path'
import type { DataFolder } from '../data-folder/data-folder.ts'
import { DataFolderError } from '../data-folder/data-folder-error.ts'
import {
  makeSafeFolder,
  nearestExisting,
  refuseLongPath,
  refuseNoAccess,
  refuseNoEntry,
  refuseOthersWrites,
} from '../data-folder/folder-safety.ts'

const SETTING = 'SVC_BACKUP_DIR'
const MIB = 1024 ** 2
/** Is left free beside a backup, so that the ledger does not meet a full disk because of it. */
const FREE_BYTES_LEFT = 256 * MIB

export class BackupPlace {
  /** The folder that has a folder for each backup. */
  readonly path: string
  readonly #folder: DataFolder

  /** @param named as the operator gave it. Default: a folder in the data folder */
  constructor(folder: DataFolder, named: string | undefined) {
    this.path = resolve(named ?? folder.backupsFolder)
    this.#folder = folder
  }

  /**
   * Looks whether backups can be written there, and writes nothing.
   *
   * @throws {DataFolderError}
   */
  check(): void {
    const { path } = this
    const existing = nearestExisting(path)
    refuseNoEntry(existing, SETTING)
    refuseLongPath(path, existing, SETTING)
    // Only the last name is made: a disk that is not mounted must not be taken for one.
    const above = dirname(path)
    if (existing !== path && existing !== above) {
      throw new DataFolderError(
        `${path} cannot be made, because ${above} is not there: mount its disk, or name another ` +
          `with ${SETTING}`,
      )
    }
    refuseNoAccess(path, existing, SETTING)
    refuseAmongTheData(path, this.#folder)
    if (existing === path) refuseOthersWrites(path, SETTING)
  }

  /** Makes the folder unless it is there. @throws {DataFolderError} as {@link check} does */
  make(): void {
    this.check()
    makeSafeFolder(this.path)
  }

  /** The databases of the data folder that are there, the events first. */
  databases(): readonly string[] {
    const { ledgerFile, textsFile, usersFile, answersFile, responsesFile, refusalsFile } =
      this.#folder
    const all = [ledgerFile, textsFile, usersFile, responsesFile, answersFile, refusalsFile]
    return all.filter((path) => existsSync(path))
  }

  /** Of all databases, as they are now. */
  bytes(): number {
    return this.databases().reduce((sum, path) => sum + statSync(path).size, 0)
  }

  /**
   * Looks whether a backup has room, in the folder or where it would be made.
   *
   * @throws {ServiceError} `backup_failed`
   */
  async requireSpace(): Promise<void> {
    const free = await freeBytes(nearestExisting(this.path))
    const neededBytes = this.bytes() + FREE_BYTES_LEFT
    if (free >= neededBytes) return
    throw new ServiceError(
      'backup_failed',
      `A backup needs ${Math.ceil(neededBytes / MIB)} MiB in ${this.path}, some of it to stay free, ` +
        `and ${Math.floor(free / MIB)} are free.`,
    )
  }
}

/**
 * Where views are built anew, or a folder is put in the place of another, backups would go too.
 *
 * @throws {DataFolderError}
 */
function refuseAmongTheData(into: string, { path, backupsFolder }: DataFolder): void {
  if (!existsSync(path)) return
  const inside = relative(realPathOf(path), realPathOf(into))
  const [first] = inside.split(sep)
  if (first === '..' || first === basename(backupsFolder) || isAbsolute(inside)) return
  throw new DataFolderError(
    `${into} is in the data folder: name a folder elsewhere in ${SETTING}, or none for its backups`,
  )
}
