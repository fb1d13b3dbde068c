/**
 * Moves blocks in and out of a llama.cpp sequence, by way of the files that the runtime saves and
 * loads: it knows no other way.
 *
 * The files are in memory where the system has such a folder, and have no name there: the runtime
 * is given the open file's path under `/proc`. So a worker that is killed leaves nothing behind, and
 * nobody else can open what is a tenant's prompt.
 */
import { constants, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { LlamaContextSequence } from 'node-llama-cpp'
import {
  readSavedState,
  readStateBlocks,
  type SavedState,
  type StateShape,
  writeState,
} from './sequence-state.ts'

const SHARED_MEMORY = '/dev/shm'
/** Containers often have 64 MiB there, which a long prompt does not fit. */
const SHARED_MEMORY_BYTES_MIN = 1024 ** 3
const hasOpenFilePaths = process.platform === 'linux'
/** Linux's `__O_TMPFILE`, which Node.js does not name: opens a file of a folder without a name. */
const WITHOUT_NAME = 0o20000000
const OWNER_ONLY = 0o600

export class SequenceStates {
  /** Where files with a name are kept, on systems that need one. */
  readonly #folder = hasOpenFilePaths ? null : mkdtempSync(join(tmpdir(), 'svc-kv-'))
  readonly #streams: number
  #shape: StateShape | undefined
  #files = 0

  /** @param streams how many sequences the context has */
  constructor(streams: number) {
    this.#streams = streams
  }

  /** @throws UnknownState, or Error when there is no room for the file */
  async read(
    native: LlamaContextSequence,
    from: number,
    to: number,
  ): Promise<readonly Uint8Array[]> {
    return await this.#withFile(async (file, path) => {
      await native.saveStateToFile(path)
      const state = await readSavedState(file)
      this.#shape = shapeOf(state)
      return await readStateBlocks(file, state, from, to)
    })
  }

  /** @throws Error when the runtime does not take the state, which is then in doubt */
  async restore(
    native: LlamaContextSequence,
    tokens: readonly number[],
    blocks: readonly Uint8Array[],
  ): Promise<void> {
    const shape = this.#shape
    if (shape === undefined) throw new Error('the shape of this model is not known yet')
    await this.#withFile(async (file, path) => {
      await writeState(file, shape, this.#streams, tokens, blocks)
      await native.loadStateFromFile(path, { acceptRisk: true })
    })
    if (native.nextTokenIndex !== tokens.length) {
      throw new Error(`${native.nextTokenIndex} of ${tokens.length} tokens were restored`)
    }
  }

  close(): void {
    if (this.#folder !== null) rmSync(this.#folder, { recursive: true, force: true })
  }

  async #withFile<Result>(
    use: (file: FileHandle, path: string) => Promise<Result>,
  ): Promise<Result> {
    if (this.#folder === null) {
      await using file = await openNameless(stateRoot())
      return await use(file, `/proc/self/fd/${file.fd}`)
    }
    this.#files += 1
    const path = join(this.#folder, String(this.#files))
    try {
      await using file = await open(path, 'wx+', OWNER_ONLY)
      return await use(file, path)
    } finally {
      await rm(path, { force: true })
    }
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

function shapeOf({ tensors }: SavedState): StateShape {
  return tensors.map(({ type, rowBytes }) => ({ type, rowBytes }))
}

/** Memory if there is enough of it, else the folder for temporary files. */
function stateRoot(): string {
  try {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY)
    if (bavail * bsize >= SHARED_MEMORY_BYTES_MIN) return SHARED_MEMORY
  } catch {
    // There is no such folder on this system.
  }
  return tmpdir()
}
