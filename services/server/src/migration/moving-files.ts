/**
 * Which files of a folder a move is about.
 *
 *     to eventstoredb    ledger.db, texts.db ─▶ before-migration/, once all of it is on the server
 *     to sqlite          migration/ledger.db, migration/texts.db ─▶ where the server looks for them
 */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { DataFolder } from '../data-folder/data-folder.ts'

const COPY_FOLDER = 'migration'
const KEPT_FOLDER = 'before-migration'
const OWNER_ONLY_FOLDER = 0o700
/** A closed file has none of the two; one that a killed process left may. */
const SUFFIXES = ['', '-wal', '-shm']

interface Files {
  readonly folder: string
  readonly ledger: string
  readonly texts: string
}

export function movingFiles(folder: DataFolder): {
  /** The files where a server has them. */
  readonly own: Files
  /** The files while they are being filled. */
  readonly copy: Files
  /** What was moved to a server stays here, for whoever wants to look. */
  readonly kept: Files
} {
  const filesIn = (path: string) => ({
    folder: path,
    ledger: join(path, 'ledger.db'),
    texts: join(path, 'texts.db'),
  })
  return {
    own: { folder: folder.path, ledger: folder.ledgerFile, texts: folder.textsFile },
    copy: filesIn(join(folder.path, COPY_FOLDER)),
    kept: filesIn(join(folder.path, KEPT_FOLDER)),
  }
}

/** The files are closed. Those that were moved by an earlier call are where they should be. */
export function renameFiles(from: Files, to: Files): void {
  mkdirSync(to.folder, { recursive: true, mode: OWNER_ONLY_FOLDER })
  // The ledger last: who finds it finds its texts.
  const names = [
    [from.texts, to.texts],
    [from.ledger, to.ledger],
  ] as const
  for (const [source, target] of names) {
    for (const suffix of SUFFIXES.toReversed()) {
      if (existsSync(source + suffix)) renameSync(source + suffix, target + suffix)
    }
  }
}

export function removeFiles({ folder }: Files): void {
  rmSync(folder, { recursive: true, force: true })
}
