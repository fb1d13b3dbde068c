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
  type BlockRange,
  readSavedState,
  readStateBlocks,
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

/** What the runtime's files are like, once one of its own was read. */
interface KnownShape {
  shape: StateShape | undefined
}

export class SequenceStates {
  /** Where files with a name are kept, on systems that need one. */
  readonly #folder = hasOpenFilePaths ? null : mkdtempSync(join(tmpdir(), 'svc-kv-'))
  readonly #streams: number
  readonly #known: KnownShape = { shape: undefined }
  #files = 0

  /** @param streams how many sequences the context has */
  constructor(streams: number) {
    this.#streams = streams
  }

  /**
   * Only while the runtime saves it is the sequence in use.
   *
   * @throws Error when there is no room for the file
   */
  copy(native: LlamaContextSequence, blockTokens: number): Promise<LlamaSequenceCopy> {
    return this.#intoFile(blockTokens, async ({ path }) => {
      await native.saveStateToFile(path)
      return native.nextTokenIndex
    })
  }

  /** @throws UnknownState when the blocks do not hold these tokens, or Error without room */
  copyOf(
    tokens: readonly number[],
    blocks: readonly Uint8Array[],
    blockTokens: number,
  ): Promise<LlamaSequenceCopy> {
    return this.#intoFile(blockTokens, async ({ handle }) => {
      const { shape } = this.#known
      if (shape === undefined) throw new Error('the shape of this model is not known yet')
      await writeState(handle, shape, this.#streams, tokens, blocks)
      return tokens.length
    })
  }

  /** @throws Error when the runtime does not take the state, which is then in doubt */
  async load(native: LlamaContextSequence, { path, tokens }: LlamaSequenceCopy): Promise<void> {
    await native.loadStateFromFile(path, { acceptRisk: true })
    if (native.nextTokenIndex !== tokens) {
      throw new Error(`${native.nextTokenIndex} of ${tokens} tokens came back`)
    }
  }

  close(): void {
    if (this.#folder !== null) rmSync(this.#folder, { recursive: true, force: true })
  }

  /** @param write fills the file, and tells how many tokens that are */
  async #intoFile(
    blockTokens: number,
    write: (file: StateFile) => Promise<number>,
  ): Promise<LlamaSequenceCopy> {
    const file = await this.#open()
    try {
      const tokens = await write(file)
      const { size } = await file.handle.stat()
      return new LlamaSequenceCopy(file, { tokens, bytes: size, blockTokens }, this.#known)
    } catch (error) {
      await file.close()
      throw error
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
  readonly #blockTokens: number
  readonly #known: KnownShape

  constructor(
    file: StateFile,
    { tokens, bytes, blockTokens }: Record<'tokens' | 'bytes' | 'blockTokens', number>,
    known: KnownShape,
  ) {
    this.#file = file
    this.tokens = tokens
    this.bytes = bytes
    this.#blockTokens = blockTokens
    this.#known = known
  }

  get path(): string {
    return this.#file.path
  }

  /** @throws UnknownState */
  async readBlocks(from: number, to: number): Promise<readonly Uint8Array[]> {
    const { handle } = this.#file
    const state = await readSavedState(handle)
    this.#known.shape = state.tensors.map(({ type, rowBytes }) => ({ type, rowBytes }))
    const range: BlockRange = { from, to, blockTokens: this.#blockTokens }
    return await readStateBlocks(handle, state, range)
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
