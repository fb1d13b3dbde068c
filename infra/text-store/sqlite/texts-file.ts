import { type DatabaseFile, openDatabaseFile } from '../../sqlite/database-file.ts'

/** "svct" in ASCII. */
const APPLICATION_ID = 0x73766374
const CACHE_KIBIBYTES = 2 * 1024

const migrations = [
  `CREATE TABLE owner (name TEXT PRIMARY KEY, salt BLOB NOT NULL) STRICT, WITHOUT ROWID;
   CREATE TABLE text (
     owner TEXT NOT NULL,
     id TEXT NOT NULL,
     text TEXT NOT NULL,
     PRIMARY KEY (owner, id)
   ) STRICT, WITHOUT ROWID`,
]

/** @throws {StoreOpenError} */
export function openTextsFile(path: string): DatabaseFile {
  return openDatabaseFile(path, {
    what: 'a file of texts',
    applicationId: APPLICATION_ID,
    migrations,
    synchronous: 'FULL',
    cacheKibibytes: CACHE_KIBIBYTES,
    autoCheckpointPages: 0,
    secureDelete: true,
  })
}
