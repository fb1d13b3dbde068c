/** Folders that a setting names, made for the user alone who runs the service. */
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

const OWNER_ONLY = 0o700

/**
 * Makes the folder, and those above it that are missing. Node's own way to do so never ends where
 * the system says that the folder above is missing while it is there, as it does in /proc.
 *
 * @throws {Error} when the system does not let it be made
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: OWNER_ONLY })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    // Another process may have been faster.
    if (code === 'EEXIST' && existsSync(path)) return
    throw new Error(`the system does not let ${path} be made: ${message}`, { cause: error })
  }
}
