/**
 * Whether a folder can be used, and is safe from other users of the machine: who may write to it
 * can put a link in the place of a file, and have the server read or write elsewhere.
 */
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readdirSync,
  realpathSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { messageOf } from '@svc/contracts/error-message'
import { makeFolder } from '@svc/infra/made-folder'
import { DataFolderError } from './data-folder-error.ts'

/** Of an opening: refuses a symbolic link. Windows has none of it. */
export const NO_LINKS = constants.O_NOFOLLOW ?? 0

const OTHERS_WRITE = 0o022
/** The numbers that Linux has for /proc and /sys: no file can be made in them. */
const KERNEL_FILE_SYSTEMS: readonly number[] = [0x9fa0, 0x62656572]
const ROOT = 0
/** What the service opens by its name: databases and their logs, notes, views. */
const OURS = /^([a-z-]+\.(db(-\w+)?|json)|checkpoint|views)$/

const OPTION = '--data-dir'
const AS_OWNER = 'run svc as the user whose folder it is'

/** The longest file name that SQLite opens, with what it appends for a log or a journal. */
const SQLITE_PATH_BYTES_MAX = 512
/** Room for the longest name within the folder, such as that of a view that is built anew. */
const NAME_WITHIN_BYTES_MAX = 72
const FOLDER_PATH_BYTES_MAX = SQLITE_PATH_BYTES_MAX - NAME_WITHIN_BYTES_MAX

/** The folder itself, or the closest one above it that this user can see. */
export function nearestExisting(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : nearestExisting(dirname(path))
}

/**
 * What lies in a folder that cannot be entered looks as if it were not there.
 *
 * @param existing the folder that is wanted, or the nearest above it
 * @param setting by which another can be named
 * @throws {DataFolderError} when it is no folder, or this user may not enter it
 */
export function refuseNoEntry(existing: string, setting = OPTION): void {
  const another = `name another with ${setting}`
  if (!statSync(existing).isDirectory()) {
    throw new DataFolderError(`${existing} is not a folder: ${another}`)
  }
  if (refusal(existing, constants.X_OK) === undefined) return
  throw new DataFolderError(`this user may not enter ${existing}: ${AS_OWNER}, or ${another}`)
}

/**
 * @param folder absolute; where a part of it is a link, SQLite takes the path that it leads to
 * @param existing it, or the nearest above it
 * @param setting by which another can be named
 * @throws {DataFolderError} when SQLite could open no file in it
 */
export function refuseLongPath(folder: string, existing: string, setting = OPTION): void {
  const path = join(realpathSync(existing), relative(existing, folder))
  const bytes = Math.max(Buffer.byteLength(path), Buffer.byteLength(folder))
  if (bytes <= FOLDER_PATH_BYTES_MAX) return
  throw new DataFolderError(
    `the path ${folder} is too long: it has ${bytes} bytes, and SQLite opens files where it has ` +
      `${FOLDER_PATH_BYTES_MAX} at most: name a shorter one with ${setting}`,
  )
}

/**
 * @param folder that is wanted
 * @param existing it, or the nearest above it
 * @param setting by which another can be named
 * @throws {DataFolderError} when this user may not read and write what has to be
 */
export function refuseNoAccess(folder: string, existing: string, setting = OPTION): void {
  const another = `name another with ${setting}`
  refuseMissingTarget(folder, existing, another)
  if (process.platform === 'linux' && KERNEL_FILE_SYSTEMS.includes(statfsSync(existing).type)) {
    throw new DataFolderError(`${existing} is of the kernel, and keeps no files: ${another}`)
  }
  const code = refusal(existing, constants.R_OK | constants.W_OK)
  if (code === undefined) return
  if (code === 'EROFS') {
    throw new DataFolderError(`${existing} is on a file system that is read-only: ${another}`)
  }
  throw new DataFolderError(
    existing === folder
      ? `this user may not read and write ${folder}: ${AS_OWNER}, or mend its permissions`
      : `${folder} cannot be made, because this user may not write ${existing}: ${another}`,
  )
}

/** A link to a disk that is not mounted looks as if nothing were there. */
function refuseMissingTarget(folder: string, existing: string, another: string): void {
  const [name = ''] = relative(existing, folder).split(sep)
  const missing = join(existing, name)
  if (existing === folder || lstatSync(missing, { throwIfNoEntry: false }) === undefined) return
  throw new DataFolderError(
    `${missing} is a link to what is not there: make that, mount its disk, or ${another}`,
  )
}

/** Makes the folder. @throws {DataFolderError} when the system does not let it be made */
export function makeSafeFolder(path: string): void {
  try {
    makeFolder(path)
  } catch (error) {
    throw new DataFolderError(messageOf(error))
  }
}

/** The code of the system; undefined when it allows it. */
function refusal(path: string, mode: number): string | undefined {
  try {
    accessSync(path, mode)
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown'
  }
}

/**
 * @param folder that is there
 * @param setting by which another can be named
 * @throws {DataFolderError} when others may write to it
 */
export function refuseOthersWrites(folder: string, setting = OPTION): void {
  if (process.platform === 'win32') return
  const { mode, uid } = statSync(folder)
  if (uid !== ROOT && uid !== process.getuid?.()) {
    throw new DataFolderError(`${folder} belongs to another user: name another with ${setting}`)
  }
  if ((mode & OTHERS_WRITE) !== 0) {
    throw new DataFolderError(
      `other users may write to ${folder}: run "chmod go-w '${folder}'", or name another`,
    )
  }
}

/** @throws {DataFolderError} when something of ours in the data folder is a link */
export function refuseLinks(folder: string): void {
  if (process.platform === 'win32') return
  const links = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => OURS.test(entry.name) && entry.isSymbolicLink(),
  )
  for (const { name } of links) {
    throw new DataFolderError(
      `${join(folder, name)} is a link: put what it leads to in its place, or name another folder`,
    )
  }
}
