/** What requests that gave way left: copies of their sequences, outside of the model's memory. */
import type { StateResponse } from '@svc/contracts/worker/protocol'
import type { EngineSequence, SequenceCopy } from '../../engines/engine.ts'
import type { Chain } from '../../prefix-cache/block-names.ts'

/** Bytes of all copies at once. A request that finds no room keeps its sequence. */
const PUT_ASIDE_BYTES_MAX = 1024 ** 3

/** What a request that gave way goes on with. */
export interface PutAside {
  readonly copy: SequenceCopy
  /** Settles when blocks are taken out of the copy no more. */
  readonly kept: Promise<void>
  readonly chain: Chain
  /** Leading prompt tokens that it held. */
  readonly held: number
}

export class PutAsideCopies {
  readonly #counts = { total: 0, requests: 0, bytes: 0 }

  /** How often requests gave way, and what is kept for them now. */
  get counts(): StateResponse['putAside'] {
    return { ...this.#counts }
  }

  /**
   * Copies a sequence that is not in use.
   *
   * @param tokenBytes of the model's memory, for each token that the sequence holds
   * @param giveBack gives up the sequence, of which there is a copy now
   * @returns null when there is no room
   * @throws what kept it from being copied or given up; the copy is released
   */
  async make(
    sequence: EngineSequence,
    tokenBytes: number,
    giveBack: (copy: SequenceCopy) => PutAside,
  ): Promise<PutAside | null> {
    const bytes = sequence.length * tokenBytes
    if (this.#counts.bytes + bytes > PUT_ASIDE_BYTES_MAX) return null
    // The room is taken while it is copied, and then what the copy needs.
    this.#counts.bytes += bytes
    let copy: SequenceCopy | undefined
    try {
      copy = await sequence.copy()
      const aside = giveBack(copy)
      this.#counts.bytes += copy.bytes
      this.#counts.requests += 1
      this.#counts.total += 1
      return aside
    } catch (error) {
      await copy?.release()
      throw error
    } finally {
      this.#counts.bytes -= bytes
    }
  }

  /** Releases the copy when `kept` has settled: the request has gone on, or never will. */
  async drop({ copy, kept }: PutAside): Promise<void> {
    this.#counts.bytes -= copy.bytes
    this.#counts.requests -= 1
    await kept
    await copy.release()
  }
}
