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
import { basename, join } from 'node:path'
import { messageOf } from '@svc/contracts/error-message'
import { ServiceError } from '@svc/contracts/errors'
import type { Clock } from '@svc/contracts/ports/time'
import { openSqliteEventStore } from '@svc/infra/event-store/sqlite/sqlite-event-store'
import { copyDatabase } from '@svc/infra/sqlite/copy-database'
import { syncFile, syncFolder } from '@svc/infra/system/disk-sync'
import type {
  BackupProgress,
  Backups,
  LastBackup,
  WrittenBackup,
} from '@svc/operator/operations/backups'
import { DataFolder } from '../data-folder/data-folder.ts'
import { DataFolderError } from '../data-folder/data-folder-error.ts'
import { BackupPlace } from './backup-place.ts'

const OWNER_ONLY_FOLDER = 0o700
const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/
const MARK_CHARACTERS = 8

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
  readonly #place: BackupPlace
  readonly #clock: Clock
  #running: Running | undefined

  constructor({ folder, into, clock }: FolderBackupsOptions) {
    this.#folder = folder
    this.#place = new BackupPlace(folder, into)
    this.#clock = clock
  }

  get isWriting(): boolean {
    return this.#running !== undefined
  }

  last(): LastBackup | undefined {
    try {
      return this.#folder.readLastBackup()
    } catch (cause) {
      throw new ServiceError('backup_failed', `${messageOf(cause)}.`, { cause })
    }
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
    const { path: into } = this.#place
    const databases = this.#place.databases()
    const bytes = this.#place.bytes()
    const writtenAt = new Date(this.#clock.nowMs()).toISOString()
    const name = writtenAt.replaceAll(':', '-')
    const whole = join(into, name)
    const ending = endingOf(this.#folder)
    const partial = `${whole}${ending}`
    try {
      this.#prepareTarget(ending)
      await this.#place.requireSpace()
      mkdirSync(partial, { mode: OWNER_ONLY_FOLDER })
      this.#copyNotes(partial)
      // Events on a server are no part of it: what happens after it is known there.
      if (this.#folder.holdsLedger()) new DataFolder(partial).writeBackup({ writtenAt })
      const copied = await copyAll(databases, partial, { bytes, report, signal })
      const position = await lastPositionIn(join(partial, 'ledger.db'))
      syncFolder(partial)
      renameSync(partial, whole)
      syncFolder(into)
      this.#folder.writeLastBackup({ folder: whole, writtenAt })
      return { folder: whole, bytes: copied, position }
    } catch (error) {
      removeIfPossible(partial)
      signal.throwIfAborted()
      throw notWritten(into, error)
    }
  }

  /** What a process that was killed has left half-written goes. */
  #prepareTarget(ending: string): void {
    this.#place.make()
    const { path } = this.#place
    for (const entry of readdirSync(path)) {
      const isPartial = entry.endsWith(ending) && NAME.test(entry.slice(0, -ending.length))
      if (isPartial) rmSync(join(path, entry), { recursive: true, force: true })
    }
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

/** What the disk does not let go now, the next backup removes. */
function removeIfPossible(partial: string): void {
  try {
    rmSync(partial, { recursive: true, force: true })
  } catch {}
}

/** Names the place, and what the system says about it, to the operator whose disk it is. */
function notWritten(path: string, cause: unknown): ServiceError {
  if (cause instanceof ServiceError) return cause
  const why = messageOf(cause)
  const message =
    cause instanceof DataFolderError ? `${why}.` : `The backup in ${path} failed: ${why}.`
  return new ServiceError('backup_failed', message, { cause })
}

function sizeOf(path: string): number {
  return statSync(path).size
}
