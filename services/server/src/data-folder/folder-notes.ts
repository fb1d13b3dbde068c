/** The notes of a data folder: small files, read whole and written whole, for the owner only. */
import { constants, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { syncFolder } from '@svc/infra/system/disk-sync'
import type { z } from 'zod'
import { DataFolderError } from './data-folder-error.ts'
import { NO_LINKS } from './folder-safety.ts'

const OWNER_ONLY_FILE = 0o600

/** One of them, a JSON file: `note-shapes.ts` has all but that of a migration. */
export interface Note<Shape> {
  readonly file: string
  readonly schema: z.ZodType<Shape>
}

export class FolderNotes {
  readonly #path: string

  /** @param path absolute */
  constructor(path: string) {
    this.#path = path
  }

  /** @returns undefined when there is none. @throws {DataFolderError} when it cannot be used */
  read<Shape>({ file, schema }: Note<Shape>): Shape | undefined {
    const text = this.readText(file)
    if (text === undefined) return undefined
    try {
      return schema.parse(JSON.parse(text))
    } catch {
      const path = join(this.#path, file)
      throw new DataFolderError(`${path} is damaged: restore it from a backup, or move it away`)
    }
  }

  /** @throws {DataFolderError} */
  readText(name: string): string | undefined {
    const file = join(this.#path, name)
    if (!existsSync(file)) return undefined
    try {
      return readFileSync(file, { encoding: 'utf8', flag: constants.O_RDONLY | NO_LINKS })
    } catch (cause) {
      throw new DataFolderError(`${file} cannot be read: mend its permissions`, { cause })
    }
  }

  write<Shape>({ file }: Note<Shape>, record: Shape): void {
    this.writeText(file, `${JSON.stringify(record, null, 2)}\n`)
  }

  /**
   * Writes the text whole or not at all, also when the process dies in the middle. After a loss of
   * power it is there, once this has returned: until the folder is synced, the disk may have the
   * old text under the name.
   */
  writeText(name: string, text: string): void {
    const file = join(this.#path, name)
    // What a run that died has left there, or somebody has put there, is never written through.
    rmSync(`${file}.new`, { force: true })
    writeFileSync(`${file}.new`, text, { flag: 'wx', mode: OWNER_ONLY_FILE, flush: true })
    renameSync(`${file}.new`, file)
    syncFolder(this.#path)
  }

  remove({ file }: Note<unknown>): void {
    rmSync(join(this.#path, file), { force: true })
  }
}
