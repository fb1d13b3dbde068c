/** Writes the file of texts whose path it is given anew, and ends. */
import { parentPort, workerData } from 'node:worker_threads'
import { sqliteCodeOf } from '../../sqlite/sqlite-errors.ts'
import { openTextsFile } from './texts-file.ts'
import type { Failure } from './writing-anew.ts'

try {
  const file = openTextsFile(String(workerData))
  try {
    file.database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)')
  } finally {
    file.close()
  }
} catch (error) {
  // An error that leaves the thread by itself loses what SQLite says besides the message.
  const failure: Failure = { message: String(error), errcode: sqliteCodeOf(error) }
  parentPort?.postMessage(failure)
}
