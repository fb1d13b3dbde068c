/** A file system of a few megabytes, in memory, for tests of a full disk. */
import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { freeBytesSync } from '@svc/infra/free-bytes'
import { expect, onTestFinished } from 'vitest'
import { runToEnd } from './bounded-run.ts'
import { temporaryFolder } from './temporary-folder.ts'

const BLOCK_BYTES = 4096

export class TinyDisk {
  /** Where it is mounted. */
  readonly folder: string
  readonly #filler: string

  private constructor(folder: string) {
    this.folder = folder
    this.#filler = join(folder, 'filler')
  }

  /** @returns undefined where it cannot be mounted: not on Linux, or not as root */
  static mount(megabytes: number): TinyDisk | undefined {
    const folder = temporaryFolder()
    const mount = ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]
    if (runToEnd('mount', mount).status !== 0) return undefined
    onTestFinished(() => expect(runToEnd('umount', [folder]).status).toBe(0))
    return new TinyDisk(folder)
  }

  get freeBytes(): number {
    return freeBytesSync(this.folder)
  }

  /** Takes all that is free, down to `leaveBytes`. */
  fill(leaveBytes: number): void {
    const file = openSync(this.#filler, 'a')
    const block = Buffer.alloc(BLOCK_BYTES)
    try {
      while (this.freeBytes > leaveBytes) writeSync(file, block)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    } finally {
      closeSync(file)
    }
  }

  /** Gives back what was filled. */
  clear(): void {
    const file = openSync(this.#filler, 'r+')
    ftruncateSync(file, 0)
    closeSync(file)
    rmSync(this.#filler)
  }
}
