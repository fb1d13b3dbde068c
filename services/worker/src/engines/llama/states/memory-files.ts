/**
 * Files that one process passes to the runtime and nobody else sees.
 *
 * They are in memory where the system has such a folder, and have no name there: the runtime is
 * given the open file's path under `/proc`. So a worker that is killed leaves nothing behind, and
 * nobody else can open what is a tenant's prompt.
 *
 * One that was filled here is filled again when the next is needed soon: the system clears each new
 * page before it gives it out, which takes longer than to write it.
 */
import { constants, mkdtempSync, rmSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Timer } from '@svc/contracts/ports/time'
import { freeBytesSync } from '@svc/infra/free-bytes'

const SHARED_MEMORY = '/dev/shm'
/** Containers often have 64 MiB there, which a long prompt does not fit. */
const SHARED_MEMORY_BYTES_MIN = 1024 ** 3
const hasOpenFilePaths = process.platform === 'linux'
/** Linux's `__O_TMPFILE`, which Node.js does not name: opens a file of a folder without a name. */
const WITHOUT_NAME = 0o20000000
const OWNER_ONLY = 0o600
/** What an idle worker holds on to, and for how long. */
const SPARE_BYTES_MAX = 256 * 1024 ** 2
const SPARE_MS = 600_000

export interface MemoryFile {
  readonly handle: FileHandle
  /** What the runtime is given. */
  readonly path: string
  readonly close: () => Promise<void>
}

export class MemoryFiles {
  /** The folder of files that have a name, on systems that need one. */
  readonly #folder = hasOpenFilePaths ? null : mkdtempSync(join(tmpdir(), 'svc-kv-'))
  readonly #timer: Timer
  #files = 0
  #spare: MemoryFile | null = null
  #closed = false
  #cancelLettingGo: () => void = () => {}

  constructor(timer: Timer) {
    this.#timer = timer
  }

  /** @throws Error when there is no room for a file */
  async open(): Promise<MemoryFile> {
    if (this.#folder === null) {
      const handle = await openNameless(stateRoot())
      return { handle, path: `/proc/self/fd/${handle.fd}`, close: () => handle.close() }
    }
    this.#files += 1
    const path = join(this.#folder, String(this.#files))
    const handle = await open(path, 'wx+', OWNER_ONLY)
    const close = async () => {
      await handle.close()
      await rm(path, { force: true })
    }
    return { handle, path, close }
  }

  /**
   * One that may hold something already: it is to be written from its beginning, and says itself
   * where it ends. When it is closed, the next one can have it.
   *
   * @throws Error when there is no room for a file
   */
  async openUsed(): Promise<MemoryFile> {
    const file = this.#takeSpare() ?? (await this.open())
    return { ...file, close: () => this.#keepSpare(file) }
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#takeSpare()?.close()
    if (this.#folder !== null) rmSync(this.#folder, { recursive: true, force: true })
  }

  #takeSpare(): MemoryFile | null {
    this.#cancelLettingGo()
    const spare = this.#spare
    this.#spare = null
    return spare
  }

  async #keepSpare(file: MemoryFile): Promise<void> {
    const { size } = await file.handle.stat()
    const isWanted = this.#spare === null && size <= SPARE_BYTES_MAX && !this.#closed
    if (!isWanted) return await file.close()
    this.#spare = file
    this.#cancelLettingGo = this.#timer.after(SPARE_MS, () => void this.#takeSpare()?.close())
  }
}

/** @throws Error when there is no room, or the file system cannot do it and no name is free */
async function openNameless(folder: string): Promise<FileHandle> {
  const flags = WITHOUT_NAME | constants.O_DIRECTORY | constants.O_RDWR
  try {
    return await open(folder, flags, OWNER_ONLY)
  } catch {
    // Some file systems know only files with a name: it is taken away as soon as it is open.
    const path = join(mkdtempSync(join(folder, 'svc-kv-')), 'state')
    const file = await open(path, 'wx+', OWNER_ONLY)
    rmSync(dirname(path), { recursive: true })
    return file
  }
}

/** Memory if there is enough of it, else the folder for temporary files. */
function stateRoot(): string {
  try {
    if (freeBytesSync(SHARED_MEMORY) >= SHARED_MEMORY_BYTES_MIN) return SHARED_MEMORY
  } catch {
    // This system has no such folder.
  }
  return tmpdir()
}
