/** What a file of a view holds, on the disk: brought there, and replaced by that of another. */
import { linkSync, renameSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { removeDatabase } from './view-database.ts'

interface Replaced {
  /** Resolves when the old content is gone. What cannot be removed is removed at the next start. */
  free(): Promise<void>
}

/** Takes the place of the content of a file by that of a completed one, in one rename. */
export function replaceContent(path: string, completedPath: string): Replaced {
  const isKept = keepContent(path)
  renameSync(completedPath, path)
  return {
    async free() {
      if (isKept) await rm(replacedPath(path), { force: true }).catch(() => {})
    },
  }
}

/** Gives the content its second name. @returns false where the file system has no such names */
function keepContent(path: string): boolean {
  try {
    removeDatabase(replacedPath(path))
    linkSync(path, replacedPath(path))
    return true
  } catch {
    return false
  }
}

/** A second name for the content of a file that is about to be replaced. */
function replacedPath(path: string): string {
  return `${path}.replaced`
}

export async function syncToDisk(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
