/**
 * The data folder: one directory, readable by its owner only, that holds all that the service
 * keeps.
 *
 *     ledger.db           the events: the one source of truth, the file to back up
 *     texts.db            names, reasons and references, which can be erased: to back up, too
 *     views/              read models: rebuilt from the events when lost
 *     snapshots.db        folded account states: a cache
 *     answers.db          recorded answers for Idempotency-Key, encrypted, for a day
 *     responses.db        responses of the Responses format, encrypted, for thirty days
 *     refusals.db         why requests were refused, for thirty days; nothing of what they said
 *     users.db            who the users of the dashboard are; the log knows them by an id alone
 *     sessions.db         who is signed in: can be lost
 *     erasures.json       erasures of texts that a start has to finish
 *     secrets.json        the keys for these and for cached prompts, and the operator's token
 *     first-run.json      the demo account, so that a second start makes none
 *     server.json         the running server: where the CLI finds it
 *     evidence-key.json   signs checkpoints of the log, and how it came to that key
 *     checkpoint          the last one: who holds it knows the log up to there
 *     feed.json           how far the topic of Kafka is known to hold the events of the ledger
 *     quarantine.json     streams of the log that were found damaged and are set aside
 *     migration.json      the ledger is being moved to another store, or that was cut off
 *     backup.json         this is such a copy, and no server has run on it yet
 *     last-backup.json    when the last copy of the folder was made
 *     backups/            copies of the folder, made while a server ran
 *     log-head.json       the furthest event that was seen: shows when the end of the log is gone
 *
 * When the events are on an EventStoreDB there is no `ledger.db` and no `texts.db`, and two
 * notes more. Every gateway
 * has a folder of its own; a copy of one is not a second one.
 *
 *     eventstoredb.json   which log the rest of the folder is about
 *     runs.json           the last runs of this folder's server: what they left open is ended
 */

import { randomBytes } from 'node:crypto'
import { existsSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { StreamDamage } from '@svc/contracts/ports/quarantine'
import type { Erasure, ErasureNotes } from '@svc/ledger/erasure-notes'
import type { FeedCheckpoints } from '@svc/relay/feed-checkpoint'
import { DataFolderError } from './data-folder-error.ts'
import { FolderNotes } from './folder-notes.ts'
import {
  makeSafeFolder,
  nearestExisting,
  refuseLinks,
  refuseLongPath,
  refuseNoAccess,
  refuseNoEntry,
  refuseOthersWrites,
} from './folder-safety.ts'
import { halfMovedProblem, type MigrationNotes, migrationNote } from './migration-note.ts'
import {
  type BackupRecord,
  backupNote,
  CHECKPOINT_FILE,
  type EvidenceKeyRecord,
  erasuresNote,
  evidenceKeyNote,
  type FirstRunRecord,
  feedNote,
  firstRunNote,
  type KeptSecrets,
  type LastBackupRecord,
  type LogHeadRecord,
  type LogRecord,
  lastBackupNote,
  logHeadNote,
  logNote,
  quarantineNote,
  runsNote,
  type Secrets,
  type ServerRecord,
  secretsNote,
  serverNote,
} from './note-shapes.ts'

export type { ServerRecord } from './note-shapes.ts'

/** The folder that is taken when nobody names another. */
export const DEFAULT_DATA_DIR = './data'
const KEY_BYTES = 32
/** What older runs left open ends at its deadline. */
const RUNS_MAX = 100

/** There is nothing to open. A first start makes a ledger. */
export class NoLedgerError extends Error {
  override readonly name = 'NoLedgerError'
}

export class DataFolder {
  readonly path: string
  /** Fills in what the folder lacks. */
  readonly #newSecrets: Secrets = {
    operatorToken: randomKey(),
    answerKey: randomKey(),
    cacheKey: randomKey(),
  }
  readonly #notes: FolderNotes

  constructor(path: string) {
    this.path = resolve(path)
    this.#notes = new FolderNotes(this.path)
  }

  get ledgerFile(): string {
    return join(this.path, 'ledger.db')
  }
  get textsFile(): string {
    return join(this.path, 'texts.db')
  }
  get viewsFolder(): string {
    return join(this.path, 'views')
  }
  /** The backups that are written while a server runs, unless they are written elsewhere. */
  get backupsFolder(): string {
    return join(this.path, 'backups')
  }
  get snapshotsFile(): string {
    return join(this.path, 'snapshots.db')
  }
  get answersFile(): string {
    return join(this.path, 'answers.db')
  }
  get refusalsFile(): string {
    return join(this.path, 'refusals.db')
  }
  get responsesFile(): string {
    return join(this.path, 'responses.db')
  }
  get usersFile(): string {
    return join(this.path, 'users.db')
  }
  get sessionsFile(): string {
    return join(this.path, 'sessions.db')
  }

  /** Whether a ledger file was ever made here. */
  holdsLedger(): boolean {
    return existsSync(this.ledgerFile)
  }

  /**
   * Says what is wrong when the folder tells of a ledger file that is gone or empty. A start would
   * make another one, and sell on it with accounts and keys that nobody knows.
   */
  lostLedger(): string | undefined {
    const { size } = statSync(this.ledgerFile, { throwIfNoEntry: false }) ?? { size: 0 }
    if (size > 0 || this.readLog() !== undefined) return undefined
    const isKnown = this.readFirstRun()?.keyId ?? this.readBackup() ?? this.readLogHead()
    if (isKnown === undefined) return undefined
    return (
      `${this.ledgerFile} is gone or empty, and the rest of the folder tells of a ledger: ` +
      'restore it from a backup, or name another folder to begin anew'
    )
  }

  /** What to tell somebody who expects a ledger file here. */
  whyNoLedger(): string {
    const lost = this.lostLedger()
    if (lost !== undefined) return lost
    const what =
      this.readLog() === undefined
        ? 'name the folder with --data-dir, or make one with svc start'
        : 'its events are on an EventStoreDB, so name that in EVENTSTORE_URL'
    return `${this.path} holds no ledger: ${what}`
  }

  /**
   * Looks whether the folder can be used or made, and writes nothing.
   *
   * @param moving for who moves the ledger: that it is half-way is refused by everybody else
   * @throws {DataFolderError}
   */
  check({ moving = false }: { readonly moving?: boolean } = {}): void {
    const existing = nearestExisting(this.path)
    refuseNoEntry(existing)
    refuseLongPath(this.path, existing)
    refuseNoAccess(this.path, existing)
    if (existing === this.path) {
      refuseOthersWrites(this.path)
      refuseLinks(this.path)
    }
    const note = this.migration.read()
    if (note !== undefined && !moving) throw new DataFolderError(halfMovedProblem(this.path, note))
    this.readSecrets()
    this.readFirstRun()
    this.readLog()
    this.readRuns()
    this.feed.read()
    this.erasures.list()
    this.readBackup()
  }

  /** Makes the folder unless it is there. Content stays as it is. @throws {DataFolderError} */
  make(): void {
    makeSafeFolder(this.path)
  }

  /** The secrets. What the folder lacks of them is made and kept. */
  secrets(): Secrets {
    const whole = this.comingSecrets()
    if (this.readSecrets()?.cacheKey === undefined) this.#notes.write(secretsNote, whole)
    return whole
  }

  /** What {@link secrets} will say, before there is a folder to keep it in. Writes nothing. */
  comingSecrets(): Secrets {
    const kept = this.readSecrets()
    const cacheKey = kept?.cacheKey ?? this.#newSecrets.cacheKey
    return { ...this.#newSecrets, ...kept, cacheKey }
  }

  /** The secrets that are kept, or `undefined` when there are none. @throws {DataFolderError} */
  readSecrets(): KeptSecrets | undefined {
    return this.#notes.read(secretsNote)
  }

  /**
   * Tells which server wrote the record last, and not whether it still runs. In a copy of a folder
   * that is the server of the original, which has another ledger.
   */
  readServer(): ServerRecord | undefined {
    const record = this.#notes.read(serverNote)
    const isOfCopy = record?.folder !== undefined && record.folder !== this.#number()
    return isOfCopy ? undefined : record
  }

  writeServer(record: ServerRecord): void {
    this.#notes.write(serverNote, { ...record, folder: this.#number() })
  }

  removeServer(): void {
    this.#notes.remove(serverNote)
  }

  readFirstRun(): FirstRunRecord | undefined {
    return this.#notes.read(firstRunNote)
  }

  writeFirstRun(record: FirstRunRecord): void {
    this.#notes.write(firstRunNote, record)
  }

  /** The log on an EventStoreDB that the folder is about; undefined when its log is a file here. */
  readLog(): LogRecord | undefined {
    return this.#notes.read(logNote)
  }

  writeLog(record: LogRecord): void {
    this.#notes.write(logNote, record)
  }

  /** The events are in the folder itself from now on. */
  removeLog(): void {
    this.#notes.remove(logNote)
  }

  /** The furthest event of the log that was ever seen here. */
  readLogHead(): LogHeadRecord | undefined {
    return this.#notes.read(logHeadNote)
  }

  writeLogHead(record: LogHeadRecord): void {
    this.#notes.write(logHeadNote, record)
  }

  /** How far the topic is known to be whole. */
  get feed(): FeedCheckpoints {
    return {
      read: () => {
        const kept = this.#notes.read(feedNote)
        return kept && { ...kept, position: BigInt(kept.position), ends: kept.ends.map(BigInt) }
      },
      write: ({ position, ends, ...rest }) => {
        this.#notes.write(feedNote, { ...rest, position: `${position}`, ends: ends.map(String) })
      },
    }
  }

  /** Streams that were found damaged and are set aside. */
  readQuarantine(): readonly StreamDamage[] {
    return this.#notes.read(quarantineNote)?.streams ?? []
  }

  writeQuarantine(streams: readonly StreamDamage[]): void {
    this.#notes.write(quarantineNote, { streams })
  }

  readEvidenceKey(): EvidenceKeyRecord | undefined {
    return this.#notes.read(evidenceKeyNote)
  }

  writeEvidenceKey(record: EvidenceKeyRecord): void {
    this.#notes.write(evidenceKeyNote, record)
  }

  /** The last checkpoint that was signed, as a signed note. */
  readCheckpoint(): string | undefined {
    return this.#notes.readText(CHECKPOINT_FILE)
  }

  writeCheckpoint(note: string): void {
    this.#notes.writeText(CHECKPOINT_FILE, note)
  }

  /** The move of the ledger to another store that was begun and is not finished. */
  get migration(): MigrationNotes {
    return {
      read: () => this.#notes.read(migrationNote),
      write: (note) => this.#notes.write(migrationNote, note),
      remove: () => this.#notes.remove(migrationNote),
    }
  }

  /** The log is the same and goes on from an earlier event: what has seen more is built anew. */
  forgetViews(): void {
    rmSync(this.viewsFolder, { recursive: true, force: true })
    this.#notes.remove(logHeadNote)
    this.#notes.remove(quarantineNote)
  }

  /** Removes what was made from another log. The snapshots prove themselves, each by its hash. */
  forgetLog(): void {
    this.forgetViews()
    this.#notes.remove(firstRunNote)
    this.#notes.remove(feedNote)
    this.removeLog()
  }

  /** The gateways that ran on this folder, oldest first; bounded. */
  readRuns(): readonly string[] {
    return this.#notes.read(runsNote)?.gatewayIds ?? []
  }

  /**
   * Notes a run. To be called by whoever has the folder for itself, before the gateway writes
   * anything.
   */
  noteRun(gatewayId: string): void {
    this.#notes.write(runsNote, { gatewayIds: [...this.readRuns(), gatewayId].slice(-RUNS_MAX) })
  }

  /** Erasures of texts that were begun, and not finished. */
  get erasures(): ErasureNotes {
    const list = () => this.#notes.read(erasuresNote) ?? []
    const without = ({ changeId }: Erasure) => list().filter((each) => each.changeId !== changeId)
    return {
      list,
      add: (erasure) => this.#notes.write(erasuresNote, [...without(erasure), erasure]),
      remove: (erasure) => this.#notes.write(erasuresNote, without(erasure)),
    }
  }

  /** The backup that the folder is, until a server has run on it. */
  readBackup(): BackupRecord | undefined {
    return this.#notes.read(backupNote)
  }

  writeBackup(record: BackupRecord): void {
    this.#notes.write(backupNote, record)
  }

  removeBackup(): void {
    this.#notes.remove(backupNote)
  }

  /** When the last backup was written, as far as the folder tells. @throws {DataFolderError} */
  readLastBackup(): LastBackupRecord | undefined {
    return this.#notes.read(lastBackupNote)
  }

  writeLastBackup(record: LastBackupRecord): void {
    this.#notes.write(lastBackupNote, record)
  }

  /** The files of notes that nothing else brings back. */
  notesWorthKeeping(): readonly string[] {
    const notes = [secretsNote, firstRunNote, evidenceKeyNote, erasuresNote]
    const files = [...notes.map(({ file }) => file), CHECKPOINT_FILE]
    return files.filter((file) => existsSync(join(this.path, file)))
  }

  /** The number of the folder in its file system. */
  #number(): string {
    return `${statSync(this.path, { bigint: true }).ino}`
  }
}

function randomKey(): string {
  return randomBytes(KEY_BYTES).toString('hex')
}
