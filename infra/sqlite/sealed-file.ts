/**
 * Opens a file whose rows are sealed texts ({@link sealText}) and whose loss does no harm. Its
 * owner moves the log into the file (`durable-file.ts`), and need not wait for the disk at a
 * commit.
 */
import { openCacheFile } from './cache-file.ts'
import type { DatabaseFile, DatabaseFileOptions } from './database-file.ts'
import { SEAL_KEY_BYTES } from './sealed-text.ts'

export interface SealedFileOptions
  extends Pick<DatabaseFileOptions, 'what' | 'applicationId' | 'migrations' | 'cacheKibibytes'> {
  readonly key: Uint8Array
}

/**
 * A damaged file is replaced by an empty one.
 *
 * @throws {StoreOpenError} when in use or not writable
 * @throws {RangeError} on a key of another length
 */
export function openSealedFile<Prepared>(
  path: string,
  { key, ...options }: SealedFileOptions,
  prepare: (file: DatabaseFile) => Prepared,
): Prepared {
  if (key.length !== SEAL_KEY_BYTES) throw new RangeError(`the key must be ${SEAL_KEY_BYTES} bytes`)
  const fileOptions = {
    ...options,
    synchronous: 'NORMAL',
    autoCheckpointPages: 0,
    // What has gone leaves the disk, and not only the index.
    secureDelete: true,
  } as const
  return openCacheFile(path, fileOptions, prepare)
}
