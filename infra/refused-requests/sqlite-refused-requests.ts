/**
 * Refused requests in a SQLite file of their own. They are written in batches beside the hot path:
 * a crash loses the last second.
 *
 * Each account has a room, and all callers without an account have one together: what fills a room
 * pushes out what is oldest in it, so that a flood of forged keys, or of one account, costs nobody
 * else a line. Only when all rooms together are too full, the fullest one gives way.
 */
import type { StatementSync } from 'node:sqlite'
import type { RefusedRequest, RefusedRequests } from '@svc/contracts/ports/refused-requests'
import type { Clock, Timer } from '@svc/contracts/ports/time'
import { openCacheFile } from '../sqlite/cache-file.ts'
import type { DatabaseFile } from '../sqlite/database-file.ts'

/** "svcf" in ASCII. */
const APPLICATION_ID = 0x73766366
const CACHE_KIBIBYTES = 2 * 1024
const CHECKPOINT_PAGES = 1_000
const WRITE_AFTER_MS = 1_000
const KEPT_MS = 30 * 24 * 3_600_000
/** How many rows that are too old one batch removes at most. */
const EXPIRED_BATCH = 500
/** The room of callers without an account. No account is named so. */
const NOBODY = ''

export interface RefusalBounds {
  readonly perAccount: number
  /** The most rows of all accounts together. */
  readonly inAll: number
  readonly withoutAccount: number
  /** The most rows that wait in one room between two batches. What is beyond it is not kept. */
  readonly pendingPerRoom: number
  readonly pendingInAll: number
}

const refusalBounds: RefusalBounds = {
  perAccount: 5_000,
  inAll: 200_000,
  withoutAccount: 20_000,
  pendingPerRoom: 100,
  pendingInAll: 2_000,
}

const migrations = [
  `CREATE TABLE refusal (
     age INTEGER PRIMARY KEY AUTOINCREMENT,
     request_id TEXT NOT NULL UNIQUE,
     room TEXT NOT NULL,
     at INTEGER NOT NULL,
     line TEXT NOT NULL
   ) STRICT;
   CREATE INDEX refusal_by_room ON refusal (room, age);
   CREATE INDEX refusal_by_time ON refusal (at)`,
]

export interface SqliteRefusedRequestsOptions {
  readonly clock: Clock
  readonly timer: Timer
  /** Is told of a batch that could not be written, and is lost. */
  readonly onLost: (cause: unknown) => void
  readonly bounds?: RefusalBounds
}

/**
 * A damaged file is replaced by an empty one.
 *
 * @throws {StoreOpenError} when in use or not writable
 */
export function openSqliteRefusedRequests(
  path: string,
  options: SqliteRefusedRequestsOptions,
): RefusedRequests {
  const fileOptions = {
    what: 'a file of refused requests',
    applicationId: APPLICATION_ID,
    migrations,
    synchronous: 'OFF',
    cacheKibibytes: CACHE_KIBIBYTES,
    autoCheckpointPages: CHECKPOINT_PAGES,
    secureDelete: false,
  } as const
  return openCacheFile(path, fileOptions, (file) => new SqliteRefusedRequests(file, options))
}

class SqliteRefusedRequests implements RefusedRequests {
  readonly #file: DatabaseFile
  readonly #options: SqliteRefusedRequestsOptions
  readonly #bounds: RefusalBounds
  readonly #insert: StatementSync
  readonly #select: StatementSync
  readonly #removeOldest: StatementSync
  readonly #removeExpired: StatementSync
  /** Lines that each room holds in the file. */
  readonly #held = new Map<string, number>()
  #heldByAccounts = 0
  #pending = new Map<string, RefusedRequest>()
  #pendingByRoom = new Map<string, number>()
  #cancelWrite: (() => void) | undefined
  #closed = false

  constructor(file: DatabaseFile, options: SqliteRefusedRequestsOptions) {
    const { database } = file
    this.#file = file
    this.#options = options
    this.#bounds = options.bounds ?? refusalBounds
    this.#insert = database.prepare(
      'INSERT OR IGNORE INTO refusal (request_id, room, at, line) VALUES (?, ?, ?, ?)',
    )
    this.#select = database.prepare('SELECT line FROM refusal WHERE request_id = ? AND at > ?')
    this.#removeOldest = database.prepare(
      'DELETE FROM refusal WHERE age IN (SELECT age FROM refusal WHERE room = ? ORDER BY age LIMIT ?)',
    )
    this.#removeExpired = database.prepare(
      `DELETE FROM refusal WHERE age IN (SELECT age FROM refusal WHERE at <= ? ORDER BY at LIMIT ?)
       RETURNING room`,
    )
    const rooms = database.prepare('SELECT room, COUNT(*) AS lines FROM refusal GROUP BY room')
    for (const { room, lines } of rooms.all()) this.#count(String(room), Number(lines))
  }

  note(request: RefusedRequest): void {
    if (this.#closed) return
    const room = roomOf(request)
    const inRoom = this.#pendingByRoom.get(room) ?? 0
    const { pendingPerRoom, pendingInAll } = this.#bounds
    if (inRoom >= pendingPerRoom || this.#pending.size >= pendingInAll) return
    this.#pendingByRoom.set(room, inRoom + 1)
    this.#pending.set(request.requestId, request)
    this.#cancelWrite ??= this.#options.timer.after(WRITE_AFTER_MS, () => this.#write())
  }

  find(requestId: string): RefusedRequest | undefined {
    const pending = this.#pending.get(requestId)
    if (pending !== undefined || this.#closed) return pending
    const line = this.#select.get(requestId, this.#oldestKept())?.line
    return typeof line === 'string' ? (JSON.parse(line) as RefusedRequest) : undefined
  }

  close(): void {
    if (this.#closed) return
    this.#write()
    this.#closed = true
    this.#file.close()
  }

  #write(): void {
    this.#cancelWrite?.()
    this.#cancelWrite = undefined
    const requests = this.#pending
    this.#pending = new Map()
    this.#pendingByRoom = new Map()
    if (requests.size === 0) return
    const { database } = this.#file
    try {
      database.exec('BEGIN')
      this.#dropExpired()
      for (const request of requests.values()) this.#keep(request)
      this.#makeRoom(new Set([...requests.values()].map(roomOf)))
      database.exec('COMMIT')
    } catch (cause) {
      if (database.isTransaction) database.exec('ROLLBACK')
      this.#options.onLost(cause)
    }
  }

  #keep(request: RefusedRequest): void {
    const room = roomOf(request)
    const line = JSON.stringify(request)
    const { changes } = this.#insert.run(request.requestId, room, request.at, line)
    this.#count(room, Number(changes))
  }

  #makeRoom(rooms: ReadonlySet<string>): void {
    const { perAccount, withoutAccount, inAll } = this.#bounds
    for (const room of rooms) {
      this.#drop(room, this.#linesIn(room) - (room === NOBODY ? withoutAccount : perAccount))
    }
    while (this.#heldByAccounts > inAll) {
      this.#drop(this.#fullest(), this.#heldByAccounts - inAll)
    }
  }

  #drop(room: string, lines: number): void {
    if (lines <= 0) return
    const { changes } = this.#removeOldest.run(room, lines)
    this.#count(room, -Number(changes))
  }

  #dropExpired(): void {
    for (const { room } of this.#removeExpired.all(this.#oldestKept(), EXPIRED_BATCH)) {
      this.#count(String(room), -1)
    }
  }

  #fullest(): string {
    let fullest = NOBODY
    let most = 0
    for (const [room, lines] of this.#held) {
      if (room !== NOBODY && lines > most) [fullest, most] = [room, lines]
    }
    return fullest
  }

  #count(room: string, lines: number): void {
    const held = this.#linesIn(room) + lines
    if (held > 0) this.#held.set(room, held)
    else this.#held.delete(room)
    if (room !== NOBODY) this.#heldByAccounts += lines
  }

  #linesIn(room: string): number {
    return this.#held.get(room) ?? 0
  }

  #oldestKept(): number {
    return this.#options.clock.nowMs() - KEPT_MS
  }
}

function roomOf({ accountId }: RefusedRequest): string {
  return accountId ?? NOBODY
}
