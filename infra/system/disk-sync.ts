/** What was written lasts: a loss of power does not take it back. */
import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Waits until the disk has what is in the file. */
export function syncFile(path: string): void {
  syncOpened(path, 'r+')
}

/** Makes the names of new files last. Windows knows no such sync, and needs none. */
export function syncFolder(path: string): void {
  if (process.platform !== 'win32') syncOpened(path, 'r')
}

function syncOpened(path: string, flags: 'r' | 'r+'): void {
  const file = openSync(path, flags)
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
