/** The notes of a data folder: the file of each, and what it holds. */
import { z } from 'zod'
import type { Note } from './folder-notes.ts'

const hexKey = z.string().regex(/^[0-9a-f]{64}$/)
const secrets = z.object({
  /** Lets the CLI and other operators speak to the admin routes. */
  operatorToken: hexKey,
  /** Encrypts recorded answers. */
  answerKey: hexKey,
  /** Keys the names of cached blocks of prompts. */
  cacheKey: hexKey,
})
export type Secrets = z.output<typeof secrets>

/**
 * The secrets as a folder has them: one that was made before there was a cache has no key for it.
 */
const keptSecrets = secrets.partial({ cacheKey: true })
export type KeptSecrets = z.output<typeof keptSecrets>
export const secretsNote: Note<KeptSecrets> = { file: 'secrets.json', schema: keptSecrets }

const serverRecord = z.object({
  pid: z.int(),
  baseUrl: z.string(),
  /** The address of the operator's API. In records of older servers it is the base URL. */
  adminUrl: z.string().optional(),
  startedAt: z.string(),
  /** The folder's own number in its file system, which no copy has; absent from older servers. */
  folder: z.string().optional(),
})
type KeptServer = z.output<typeof serverRecord>
export type ServerRecord = Omit<KeptServer, 'folder'>
export const serverNote: Note<KeptServer> = { file: 'server.json', schema: serverRecord }

/** Empty while the first run goes on; whole when it is done. */
const firstRunRecord = z.object({
  /** Absent in folders from before there was a choice: `demo`. */
  kind: z.enum(['demo', 'empty']).optional(),
  accountId: z.string().optional(),
  keyId: z.string().optional(),
})
export type FirstRunRecord = z.output<typeof firstRunRecord>
export const firstRunNote: Note<FirstRunRecord> = {
  file: 'first-run.json',
  schema: firstRunRecord,
}

const logRecord = z.object({
  /** The id of the first event of the log, which no other log has; null while it is empty. */
  firstEvent: z.string().nullable(),
  /** The server of the log, for messages. Absent in folders from before it was noted. */
  server: z.string().optional(),
  streamPrefix: z.string().optional(),
})
export type LogRecord = z.output<typeof logRecord>
export const logNote: Note<LogRecord> = { file: 'eventstoredb.json', schema: logRecord }

const logHeadRecord = z.object({ stream: z.string(), revision: z.int(), hash: z.string() })
export type LogHeadRecord = z.output<typeof logHeadRecord>
export const logHeadNote: Note<LogHeadRecord> = { file: 'log-head.json', schema: logHeadRecord }

const feedRecord = z.object({
  topic: z.string(),
  /** -1 after a move of a ledger of which less than a page was sent: from the beginning. */
  position: z.string().regex(/^(-1|\d+)$/),
  witness: z
    .object({ stream: z.string(), revision: z.int(), hash: z.string() })
    .nullable()
    .default(null),
  /** The offset behind the last record that was found, for each partition. */
  ends: z.array(z.string().regex(/^\d+$/)),
  lost: z.string().nullable(),
})
export const feedNote: Note<z.output<typeof feedRecord>> = { file: 'feed.json', schema: feedRecord }

const evidenceKeyRecord = z.object({
  /** Signs checkpoints of the log. */
  signer: z.string(),
  /** Notes by which the key was changed, oldest first. */
  rotations: z.array(z.string()),
  /** The verifier key of the first one. */
  first: z.string(),
})
export type EvidenceKeyRecord = z.output<typeof evidenceKeyRecord>
export const evidenceKeyNote: Note<EvidenceKeyRecord> = {
  file: 'evidence-key.json',
  schema: evidenceKeyRecord,
}

const quarantineRecord = z.object({
  streams: z.array(
    z.object({ stream: z.string(), revision: z.number().nullable(), cause: z.string() }),
  ),
})
export const quarantineNote: Note<z.output<typeof quarantineRecord>> = {
  file: 'quarantine.json',
  schema: quarantineRecord,
}

const runsRecord = z.object({ gatewayIds: z.array(z.string()) })
export const runsNote: Note<z.output<typeof runsRecord>> = {
  file: 'runs.json',
  schema: runsRecord,
}

const erasuresRecord = z.array(z.object({ accountId: z.string(), changeId: z.string() }))
export const erasuresNote: Note<z.output<typeof erasuresRecord>> = {
  file: 'erasures.json',
  schema: erasuresRecord,
}

/** That the folder was written as a backup, and no server has run on it since. */
const backupRecord = z.object({ writtenAt: z.string() })
export type BackupRecord = z.output<typeof backupRecord>
export const backupNote: Note<BackupRecord> = { file: 'backup.json', schema: backupRecord }

/** The last backup that was written. No backup has it: it is of the original alone. */
const lastBackupRecord = z.object({ folder: z.string(), writtenAt: z.iso.datetime() })
export type LastBackupRecord = z.output<typeof lastBackupRecord>
export const lastBackupNote: Note<LastBackupRecord> = {
  file: 'last-backup.json',
  schema: lastBackupRecord,
}

/** The last checkpoint: text, and no JSON. */
export const CHECKPOINT_FILE = 'checkpoint'
