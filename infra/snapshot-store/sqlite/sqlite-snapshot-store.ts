/**
 * Snapshots in a SQLite file of their own. A cache: nothing here is ever a source, so nothing waits
 * for the disk, and whatever looks wrong is treated as absent. A state decides what a customer may
 * spend: each row carries a checksum, so that a flipped bit in it is not believed.
 */
import { hash } from 'node:crypto'
import type { StatementSync } from 'node:sqlite'
import { noCrashPoints, type ReachCrashPoint } from '@svc/contracts/crash-points'
import type { StreamHead } from '@svc/contracts/ports/event-store'
import type { KnownHead, Snapshot, SnapshotStore } from '@svc/contracts/ports/snapshot-store'
import { openCacheFile } from '../../sqlite/cache-file.ts'
import type { DatabaseFile } from '../../sqlite/database-file.ts'

/** "svcs" in ASCII. */
const APPLICATION_ID = 0x73766373
const CACHE_KIBIBYTES = 4 * 1024
const CHECKPOINT_PAGES = 1_000
/** A larger state is not kept. */
export const STATE_BYTES_MAX = 4 * 1024 * 1024

const migrations = [
  `CREATE TABLE snapshot (
     stream TEXT PRIMARY KEY,
     revision INTEGER NOT NULL,
     hash TEXT NOT NULL,
     schema TEXT NOT NULL,
     state TEXT NOT NULL,
     checksum TEXT NOT NULL
   ) STRICT, WITHOUT ROWID`,
]

type Columns = readonly [revision: number, hash: string, schema: string, state: string]

/**
 * A damaged file is replaced by an empty one. @throws {StoreOpenError} when in use or not writable
 */
export function openSqliteSnapshotStore(
  path: string,
  reachCrashPoint: ReachCrashPoint = noCrashPoints,
): SnapshotStore {
  const options = {
    what: 'a file of snapshots',
    applicationId: APPLICATION_ID,
    migrations,
    // The file is not synced, because what a crash loses is folded again.
    synchronous: 'OFF',
    cacheKibibytes: CACHE_KIBIBYTES,
    autoCheckpointPages: CHECKPOINT_PAGES,
    secureDelete: false,
  } as const
  return openCacheFile(path, options, (file) => new SqliteSnapshotStore(file, reachCrashPoint))
}

class SqliteSnapshotStore implements SnapshotStore {
  readonly #file: DatabaseFile
  readonly #reachCrashPoint: ReachCrashPoint
  readonly #select: StatementSync
  readonly #selectPage: StatementSync
  readonly #upsert: StatementSync
  #closed = false

  constructor(file: DatabaseFile, reachCrashPoint: ReachCrashPoint) {
    this.#file = file
    this.#reachCrashPoint = reachCrashPoint
    this.#select = file.database.prepare(
      'SELECT revision, hash, schema, state, checksum FROM snapshot WHERE stream = ?',
    )
    this.#select.setReturnArrays(true)
    this.#selectPage = file.database.prepare(
      `SELECT stream, revision, hash, schema, state, checksum FROM snapshot
       WHERE stream > ? ORDER BY stream LIMIT ?`,
    )
    this.#selectPage.setReturnArrays(true)
    this.#upsert = file.database.prepare(
      `INSERT OR REPLACE INTO snapshot (stream, revision, hash, schema, state, checksum)
       VALUES (?, ?, ?, ?, ?, ?)`,
    )
  }

  load(stream: string): Snapshot | undefined {
    try {
      const row = this.#select.get(stream) as unknown as [...Columns, string] | undefined
      if (row === undefined) return undefined
      const [revision, headHash, schema, state, checksum] = row
      if (checksum !== checksumOf(stream, [revision, headHash, schema, state])) return undefined
      return { stream, head: { revision, hash: headHash }, schema, state }
    } catch {
      return undefined
    }
  }

  heads(after: string, limit: number): readonly KnownHead[] {
    const rows = this.#selectPage.all(after, limit) as unknown as (readonly [
      stream: string,
      ...Columns,
      checksum: string,
    ])[]
    return rows.map(([stream, ...row]) => ({ stream, head: soundHead(stream, row) }))
  }

  save({ stream, head, schema, state }: Snapshot): boolean {
    if (Buffer.byteLength(state) > STATE_BYTES_MAX) return false
    const columns: Columns = [head.revision, head.hash, schema, state]
    this.#reachCrashPoint('snapshot.before')
    try {
      this.#upsert.run(stream, ...columns, checksumOf(stream, columns))
    } catch {
      return false
    }
    this.#reachCrashPoint('snapshot.after')
    return true
  }

  clear(): void {
    this.#file.database.exec('DELETE FROM snapshot')
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#file.close()
  }
}

function soundHead(
  stream: string,
  [revision, headHash, schema, state, checksum]: readonly [...Columns, checksum: string],
): StreamHead | undefined {
  const isSound = checksum === checksumOf(stream, [revision, headHash, schema, state])
  return isSound ? { revision, hash: headHash } : undefined
}

function checksumOf(stream: string, columns: Columns): string {
  return hash('sha256', JSON.stringify([stream, ...columns]), 'hex')
}
