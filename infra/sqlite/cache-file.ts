/**
 * Opens a file whose loss does no harm: one that is damaged or of another shape is removed and made
 * anew. A file that is in use, or that cannot be written, is left alone and refused as any other.
 */
import { rmSync } from 'node:fs'
import { type StoreOpenCode, StoreOpenError } from '../store-open-error.ts'
import { type DatabaseFile, type DatabaseFileOptions, openDatabaseFile } from './database-file.ts'

const worthless: readonly StoreOpenCode[] = ['damaged', 'foreign-file', 'newer-schema']

/**
 * @param prepare prepares the statements: what fails there is damage too
 * @throws {StoreOpenError}
 */
export function openCacheFile<Prepared>(
  path: string,
  options: DatabaseFileOptions,
  prepare: (file: DatabaseFile) => Prepared,
): Prepared {
  try {
    return openAndPrepare(path, options, prepare)
  } catch (error) {
    if (error instanceof StoreOpenError && !worthless.includes(error.code)) throw error
    removeDatabaseFile(path)
    return openAndPrepare(path, options, prepare)
  }
}

/** Removes the file, which nobody has open, and its log. */
function removeDatabaseFile(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true })
}

function openAndPrepare<Prepared>(
  path: string,
  options: DatabaseFileOptions,
  prepare: (file: DatabaseFile) => Prepared,
): Prepared {
  const file = openDatabaseFile(path, options)
  try {
    return prepare(file)
  } catch (error) {
    file.close()
    throw error
  }
}
