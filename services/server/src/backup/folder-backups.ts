/**
 * Backups of a data folder, while a server runs on it: each is a folder that a server can be
 * started on.
 *
 *     2026-11-27T18-45-03.123Z.1f0c2a9b.partial/   while it is written
 *     2026-11-27T18-45-03.123Z/                    whole, and on the disk
 *
 * It holds what nothing else brings back: events, texts, users, answers that are kept for callers,
 * and secrets. Views, snapshots and the like are built anew by a start. The events are copied
 * before all other databases, so that whatever they speak of is there.
 */
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { statfs } from 'node:fs/promises'
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { ServiceError } from '@svc/contracts/errors'
import type { Clock } from '@svc/contracts/ports/time'
import { openSqliteEventStore } from '@svc/infra/event-store/sqlite/sqlite-event-store'
import { copyDatabase } from '@svc/infra/sqlite/copy-database'
import { syncFile, syncFolder } from '@svc/infra/sqlite/durable-file'
import { realPathOf } from '@svc/infra/system/real-path'
import type { BackupProgress, Backups, WrittenBackup } from '@svc/operator/operations/backups'
import type { DataFolder } from '../data-folder/data-folder.ts'
import { DataFolderError } from '../data-folder/data-folder-error.ts'
import { refuseOthersWrites } from '../data-folder/folder-safety.ts'

const OWNER_ONLY_FOLDER = 0o700
const SETTING = 'SVC_BACKUP_DIR'
const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/
const MARK_CHARACTERS = 8
/** Is left free beside a backup, so that the ledger does not meet a full disk because of it. */
const FREE_BYTES_LEFT = 256 * 1024 * 1024

export interface FolderBackupsOptions {
  readonly folder: DataFolder
  /**
   * The folder that has a folder for each backup. It is made when there is none, in one that is
   * there. Default: one in the data folder.
   */
  readonly into: string | undefined
  readonly clock: Clock
}

interface Running {
  readonly stop: AbortController
  readonly ended: Promise<unknown>
}

export class FolderBackups implements Backups {
  readonly #folder: DataFolder
  readonly #into: string
  readonly #clock: Clock
  #running: Running | undefined

  constructor({ folder, into, clock }: FolderBackupsOptions) {
    this.#folder = folder
    this.#into = resolve(into ?? folder.backupsFolder)
    this.#clock = clock
  }

  get isWriting(): boolean {
    return this.#running !== undefined
  }

  async write(
    report: (progress: BackupProgress) => void,
    signal: AbortSignal,
  ): Promise<WrittenBackup> {
    if (this.#running !== undefined) {
      throw new ServiceError('conflict', 'A backup is being written: wait for its end.')
    }
    const stop = new AbortController()
    const written = this.#write(report, AbortSignal.any([signal, stop.signal]))
    this.#running = { stop, ended: written.catch(() => {}) }
    try {
      return await written
    } finally {
      this.#running = undefined
    }
  }

  /** Ends the backup that is being written, if any: nothing is left of it. */
  async stop(): Promise<void> {
    this.#running?.stop.abort(new ServiceError('shutting_down', 'The server is shutting down.'))
    await this.#running?.ended
  }

  async #write(
    report: (progress: BackupProgress) => void,
    signal: AbortSignal,
  ): Promise<WrittenBackup> {
    const databases = this.#databases()
    const bytes = databases.reduce((sum, path) => sum + sizeOf(path), 0)
    const name = new Date(this.#clock.nowMs()).toISOString().replaceAll(':', '-')
    const whole = join(this.#into, name)
    const ending = endingOf(this.#folder)
    const partial = `${whole}${ending}`
    try {
      this.#prepareTarget(ending)
      await this.#requireSpace(bytes)
      mkdirSync(partial, { mode: OWNER_ONLY_FOLDER })
      this.#copyNotes(partial)
      const copied = await copyAll(databases, partial, { bytes, report, signal })
      const position = await lastPositionIn(join(partial, 'ledger.db'))
      syncFolder(partial)
      renameSync(partial, whole)
      syncFolder(this.#into)
      return { folder: whole, bytes: copied, position }
    } catch (error) {
      removeIfPossible(partial)
      signal.throwIfAborted()
      throw notWritten(this.#into, error)
    }
  }

  /** The databases that are there, the events first. */
  #databases(): readonly string[] {
    const { ledgerFile, textsFile, usersFile, answersFile, responsesFile, refusalsFile } =
      this.#folder
    const all = [ledgerFile, textsFile, usersFile, responsesFile, answersFile, refusalsFile]
    return all.filter((path) => existsSync(path))
  }

  /** What a process that was killed has left half-written goes. */
  #prepareTarget(ending: string): void {
    refuseAmongTheData(this.#into, this.#folder)
    // Only the last name is made: a disk that is not mounted must not be taken for one.
    if (!existsSync(this.#into)) mkdirSync(this.#into, { mode: OWNER_ONLY_FOLDER })
    refuseOthersWrites(this.#into, SETTING)
    for (const entry of readdirSync(this.#into)) {
      const isPartial = entry.endsWith(ending) && NAME.test(entry.slice(0, -ending.length))
      if (isPartial) rmSync(join(this.#into, entry), { recursive: true, force: true })
    }
  }

  async #requireSpace(bytes: number): Promise<void> {
    const { bavail, bsize } = await statfs(this.#into)
    const [freeBytes, neededBytes] = [bavail * bsize, bytes + FREE_BYTES_LEFT]
    if (freeBytes >= neededBytes) return
    throw new ServiceError(
      'backup_failed',
      `A backup needs ${inMebibytes(neededBytes)} MiB in ${this.#into}, some of it to stay free, ` +
        `and ${inMebibytes(freeBytes)} are free.`,
    )
  }

  #copyNotes(target: string): void {
    for (const name of this.#folder.notesWorthKeeping()) {
      copyFileSync(join(this.#folder.path, name), join(target, name))
      syncFile(join(target, name))
    }
  }
}

interface Copying {
  /** Of all databases, before the copying. */
  readonly bytes: number
  readonly report: (progress: BackupProgress) => void
  readonly signal: AbortSignal
}

/** @returns the bytes of all copies */
async function copyAll(
  databases: readonly string[],
  target: string,
  { bytes, report, signal }: Copying,
): Promise<number> {
  let copied = 0
  for (const path of databases) {
    const copy = join(target, basename(path))
    const onProgress = (done: number) =>
      report({ done: copied + done, total: Math.max(bytes, copied + done) })
    await copyDatabase(path, copy, { signal, onProgress })
    copied += sizeOf(copy)
  }
  return copied
}

/**
 * Opens the copied events as a server would.
 *
 * @returns null where the events are elsewhere
 */
async function lastPositionIn(ledgerFile: string): Promise<bigint | null> {
  if (!existsSync(ledgerFile)) return null
  const store = openSqliteEventStore(ledgerFile, {
    onFatal(error) {
      throw error
    },
  })
  try {
    return await store.lastPosition()
  } finally {
    await store.close()
  }
}

/**
 * The end of the name of what is half-written. A server that writes to the same place has another;
 * a folder and what was restored from its backups have the same.
 */
function endingOf(folder: DataFolder): string {
  const { operatorToken } = folder.comingSecrets()
  const mark = createHash('sha256').update(operatorToken).digest('hex').slice(0, MARK_CHARACTERS)
  return `.${mark}.partial`
}

/**
 * Where views are built anew, or a folder is put in the place of another, backups would go too.
 *
 * @throws {DataFolderError}
 */
function refuseAmongTheData(into: string, { path, backupsFolder }: DataFolder): void {
  const inside = relative(realPathOf(path), realPathOf(into))
  const [first] = inside.split(sep)
  if (first === '..' || first === basename(backupsFolder) || isAbsolute(inside)) return
  throw new DataFolderError(
    `${into} is in the data folder: name a folder elsewhere in ${SETTING}, or none for its backups`,
  )
}

/** What the disk does not let go now, the next backup removes. */
function removeIfPossible(partial: string): void {
  try {
    rmSync(partial, { recursive: true, force: true })
  } catch {}
}

/** Names the place, and what the system says about it, to the operator whose disk it is. */
function notWritten(path: string, cause: unknown): ServiceError {
  if (cause instanceof ServiceError) return cause
  const why = cause instanceof Error ? cause.message : String(cause)
  const message =
    cause instanceof DataFolderError ? `${why}.` : `The backup in ${path} failed: ${why}.`
  return new ServiceError('backup_failed', message, { cause })
}

function sizeOf(path: string): number {
  return statSync(path).size
}

function inMebibytes(bytes: number): number {
  return Math.ceil(bytes / 2 ** 20)
}
