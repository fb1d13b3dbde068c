/**
 * Moves blocks in and out of a llama.cpp sequence, by way of the files that the runtime saves and
 * loads: it knows no other way.
 */
import { systemTimer } from '@svc/infra/system/system-timer'
import type { LlamaContextSequence } from 'node-llama-cpp'
import type { SequenceCopy } from '../../engine.ts'
import { type MemoryFile, MemoryFiles } from './memory-files.ts'
import {
  type BlockRange,
  readSavedState,
  readStateBlocks,
  type StateShape,
  writeState,
} from './state-file.ts'

/** What the runtime's files are like, once one of its own was read. */
interface KnownShape {
  shape: StateShape | undefined
}

export class SequenceStates {
  readonly #files = new MemoryFiles(systemTimer)
  readonly #streams: number
  readonly #known: KnownShape = { shape: undefined }

  /** @param streams how many sequences the context has */
  constructor(streams: number) {
    this.#streams = streams
  }

  /**
   * Copies what the sequence holds. The sequence is in use only while the runtime saves it.
   *
   * @throws Error when there is no room for the file
   */
  copy(native: LlamaContextSequence, blockTokens: number): Promise<LlamaSequenceCopy> {
    return this.#fill(this.#files.open(), blockTokens, async ({ handle, path }) => {
      await native.saveStateToFile(path)
      return { tokens: native.nextTokenIndex, bytes: (await handle.stat()).size }
    })
  }

  /** @throws UnknownState when the blocks do not hold these tokens, or Error without room */
  copyOf(
    tokens: readonly number[],
    blocks: readonly Uint8Array[],
    blockTokens: number,
  ): Promise<LlamaSequenceCopy> {
    return this.#fill(this.#files.openUsed(), blockTokens, async ({ handle }) => {
      const { shape } = this.#known
      if (shape === undefined) throw new Error('the shape of this model is not known yet')
      const bytes = await writeState(handle, shape, this.#streams, tokens, blocks)
      return { tokens: tokens.length, bytes }
    })
  }

  /** @throws Error when the runtime does not take the state, which is then in doubt */
  async load(native: LlamaContextSequence, { path, tokens }: LlamaSequenceCopy): Promise<void> {
    await native.loadStateFromFile(path, { acceptRisk: true })
    if (native.nextTokenIndex !== tokens) {
      throw new Error(`${native.nextTokenIndex} of ${tokens} tokens came back`)
    }
  }

  close(): Promise<void> {
    return this.#files.close()
  }

  /** @param write fills the file, and tells how much that is */
  async #fill(
    opening: Promise<MemoryFile>,
    blockTokens: number,
    write: (file: MemoryFile) => Promise<Record<'tokens' | 'bytes', number>>,
  ): Promise<LlamaSequenceCopy> {
    const file = await opening
    try {
      const size = await write(file)
      return new LlamaSequenceCopy(file, { ...size, blockTokens }, this.#known)
    } catch (error) {
      await file.close()
      throw error
    }
  }
}

/** The runtime's saved state in a file that is kept open. */
export class LlamaSequenceCopy implements SequenceCopy {
  readonly tokens: number
  readonly bytes: number
  readonly #file: MemoryFile
  readonly #blockTokens: number
  readonly #known: KnownShape

  constructor(
    file: MemoryFile,
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
