/** A backup of the data folder, with its progress, and the last that was written. */
import { performance } from 'node:perf_hooks'
import type { BackupProgress, BackupResult, LastBackupAnswer } from '@svc/contracts/admin/backups'
import { ServiceError } from '@svc/contracts/errors'
import type { Backups } from './backups.ts'
import { progressLines } from './progress-lines.ts'

const SECOND_MS = 1_000

export function backupLines(
  backups: Backups | undefined,
): AsyncGenerator<BackupProgress | BackupResult> {
  return progressLines<BackupProgress, BackupResult>(async (report, left) => {
    if (backups === undefined) {
      throw new ServiceError('backup_failed', 'This service keeps nothing in a folder.')
    }
    const startedAt = performance.now()
    const { folder, bytes, position } = await backups.write(
      ({ done, total }) => report({ type: 'progress', done, total }),
      left,
    )
    const seconds = (performance.now() - startedAt) / SECOND_MS
    return {
      type: 'result',
      folder,
      size_bytes: bytes,
      seconds,
      position: position?.toString() ?? null,
    }
  })
}

/** @throws {ServiceError} */
export function lastBackup(backups: Backups | undefined): LastBackupAnswer {
  const last = backups?.last()
  return { backup: last === undefined ? null : { folder: last.folder, written_at: last.writtenAt } }
}
