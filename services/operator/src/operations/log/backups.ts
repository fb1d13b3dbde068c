/** The port that writes backups of the data folder of a service. */
import { ServiceError } from '@svc/contracts/errors'
import type { Position } from '@svc/contracts/ports/event-store'

/** Bytes, of all files together. The total grows when more is written meanwhile. */
export interface BackupProgress {
  readonly done: number
  readonly total: number
}

export interface WrittenBackup {
  /** The path on the machine of the server. */
  readonly folder: string
  readonly bytes: number
  /** The last event in it; null where the events are on an EventStoreDB. */
  readonly position: Position | null
}

export interface LastBackup {
  /** The path on the machine of the server. */
  readonly folder: string
  /** When it was begun, in RFC 3339. */
  readonly writtenAt: string
}

/** Writes backups of the data folder, one at a time. */
export interface Backups {
  readonly isWriting: boolean
  /**
   * The last that was written, wherever it may have gone since; undefined when there was none.
   *
   * @throws {ServiceError} `backup_failed` when nobody knows, because its note is damaged
   */
  last(): LastBackup | undefined
  /**
   * @throws {ServiceError} `conflict` while another is being written, `backup_failed` when the disk
   *   does not take it; nothing is left of it then, nor when the signal aborts
   */
  write(report: (progress: BackupProgress) => void, signal: AbortSignal): Promise<WrittenBackup>
}

/**
 * To be called before texts are erased: a backup copies the events first, and would have neither
 * the texts nor the event that says that they were erased.
 *
 * @throws {ServiceError} `conflict`
 */
export function refuseDuringBackup(backups: Pick<Backups, 'isWriting'> | undefined): void {
  if (backups?.isWriting !== true) return
  const message = 'A backup is being written, and would lack the erasure: try again at its end.'
  throw new ServiceError('conflict', message, { retryAfterSeconds: 1 })
}
