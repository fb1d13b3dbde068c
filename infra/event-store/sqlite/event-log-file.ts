/** The file that holds the events: the one source of truth. */
import { readFileSync } from 'node:fs'
import { checkHeader, openDatabaseFile } from '../../sqlite/database-file.ts'
import { DurableFile } from '../../sqlite/durable-file.ts'

/** "svce" in ASCII, which marks the event log of this program. */
const APPLICATION_ID = 0x73766365

/**
 * The migrations go forward only: a script that has shipped never changes, and a new version is a
 * new script.
 */
const migrationFiles = ['001-events.sql'] as const

/**
 * The size of the cache: room for the last index pages of a few thousand accounts, which every
 * append changes. Other pages come from the memory of the operating system, in a few microseconds.
 */
const CACHE_KIBIBYTES = 16 * 1024

const kind = () => ({
  what: 'an event log of this program',
  applicationId: APPLICATION_ID,
  migrations: migrationFiles.map((name) =>
    readFileSync(new URL(`./migrations/${name}`, import.meta.url), 'utf8'),
  ),
})

/**
 * Looks at the first page alone, and writes nothing.
 *
 * @throws {StoreOpenError} when the file is another program's, or of a newer version of this one
 */
export function looksLikeEventLog(path: string): void {
  checkHeader(path, kind())
}

/** @throws {StoreOpenError} */
export function openEventLogFile(path: string): DurableFile {
  const file = openDatabaseFile(path, {
    ...kind(),
    // SQLite syncs until the durable file takes over, which syncs beside the event loop what this
    // would sync on it.
    synchronous: 'FULL',
    cacheKibibytes: CACHE_KIBIBYTES,
    // The durable file does it, because SQLite would hide an error of the disk here.
    autoCheckpointPages: 0,
    secureDelete: false,
  })
  try {
    const durable = new DurableFile(file, path)
    durable.syncAtStart(path)
    return durable
  } catch (error) {
    file.close()
    throw error
  }
}
