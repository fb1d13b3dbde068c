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
import type { SequenceCopy } from '../engine.ts'
import {
  readSavedState,
  readStateBlocks,
  type SavedState,
  type StateShape,
  writeState,
} from './state-file.ts'

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

  /** @throws Error when there is no room for the file */
  async copy(native: LlamaContextSequence): Promise<LlamaSequenceCopy> {
    const file = await this.#open()
    try {
      await native.saveStateToFile(file.path)
      const { size } = await file.handle.stat()
      return new LlamaSequenceCopy(file, native.nextTokenIndex, size)
    } catch (error) {
      await file.close()
      throw error
    }
  }

  /** @throws Error when the runtime does not take the state, which is then in doubt */
  async load(native: LlamaContextSequence, copy: LlamaSequenceCopy): Promise<void> {
    await native.loadStateFromFile(copy.path, { acceptRisk: true })
  }

  close(): void {
    if (this.#folder !== null) rmSync(this.#folder, { recursive: true, force: true })
  }

  async #withFile<Result>(
    use: (file: FileHandle, path: string) => Promise<Result>,
  ): Promise<Result> {
    const { handle, path, close } = await this.#open()
    try {
      return await use(handle, path)
    } finally {
      await close()
    }
  }

  async #open(): Promise<StateFile> {
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
}

interface StateFile {
  readonly handle: FileHandle
  /** What the runtime is given. */
  readonly path: string
  readonly close: () => Promise<void>
}

/** The runtime's saved state in a file that is kept open. */
export class LlamaSequenceCopy implements SequenceCopy {
  readonly tokens: number
  readonly bytes: number
  readonly #file: StateFile

  constructor(file: StateFile, tokens: number, bytes: number) {
    this.#file = file
    this.tokens = tokens
    this.bytes = bytes
  }

  get path(): string {
    return this.#file.path
  }

  async release(): Promise<void> {
    await this.#file.close().catch(() => {})
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
