/** Backups of the data folder. */
import { z } from 'zod'
import { lineOperation, operation, type Shown } from '../declaration/declaration.ts'
import { count, nothing } from '../declaration/fields.ts'

const backupProgress = z.object({
  type: z.literal('progress'),
  /** Bytes that are copied, of how many there are now: the total grows with what is written. */
  done: count,
  total: count,
})
export type BackupProgress = Shown<typeof backupProgress>

const backupResult = z.object({
  type: z.literal('result'),
  /** The path of the backup on the machine of the server. */
  folder: z.string(),
  size_bytes: count,
  /** The position of the last event in it; null where the events are on an EventStoreDB. */
  position: z.string().nullable(),
  seconds: z.number(),
})
export type BackupResult = Shown<typeof backupResult>

const lastBackup = z.object({
  /** Null before the first one. */
  backup: z.object({ folder: z.string(), written_at: z.string() }).nullable(),
})
export type LastBackupAnswer = Shown<typeof lastBackup>

export const backupOperations = {
  lastBackup: operation({
    method: 'GET',
    path: '/backups/last',
    role: 'auditor',
    summary: 'The last backup of the data folder, wherever it may have gone since',
    input: nothing,
    output: lastBackup,
  }),
  backUp: lineOperation({
    method: 'POST',
    path: '/backups',
    role: 'operator',
    summary: 'Write a backup of the data folder on the machine of the server, while it runs',
    repeat: 'Writes another one.',
    input: nothing,
    output: z.discriminatedUnion('type', [backupProgress, backupResult]),
  }),
}
