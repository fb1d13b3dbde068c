/**
 * Whether the data folder is safe from other users of the machine: who may write to it can put a
 * link in the place of a file, and have the server read or write elsewhere.
 */
import { constants, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DataFolderError } from './data-folder-error.ts'

/** Of an opening: refuses a symbolic link. Windows has none of it. */
export const NO_LINKS = constants.O_NOFOLLOW ?? 0

const OTHERS_WRITE = 0o022
const ROOT = 0
/** What the service opens by its name. */
const DATABASES = '(ledger|snapshots|answers|responses)\\.db(-\\w+)?'
const NOTES = '(secrets|first-run|server|eventstoredb|runs|log-head|migration)\\.json'
const OURS = new RegExp(`^(${DATABASES}|${NOTES}|views)$`)

/**
 * @param folder that is there
 * @throws {DataFolderError} when others may write to it, or a file of ours is a link
 */
export function refuseOthersWrites(folder: string): void {
  if (process.platform === 'win32') return
  const { mode, uid } = statSync(folder)
  if (uid !== ROOT && uid !== process.getuid?.()) {
    throw new DataFolderError(`${folder} belongs to another user: name another with --data-dir`)
  }
  if ((mode & OTHERS_WRITE) !== 0) {
    throw new DataFolderError(
      `other users may write to ${folder}: run "chmod go-w '${folder}'", or name another`,
    )
  }
  const links = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => OURS.test(entry.name) && entry.isSymbolicLink(),
  )
  for (const { name } of links) {
    throw new DataFolderError(
      `${join(folder, name)} is a link: put what it leads to in its place, or name another folder`,
    )
  }
}
