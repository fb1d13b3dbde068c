/**
 * Asks the prefix index in a way that can cost a request at most a moment, and never its answer:
 * an index that fails or is slow is no hint.
 */
import type { PrefixIndex } from '@svc/contracts/ports/prefix-index'
import type { Timer } from '@svc/contracts/ports/time'
import { within } from '@svc/contracts/ports/within'

/**
 * A prompt waits no longer for a hint. Only for an index that breaks its promise: one in use
 * answers within a few milliseconds, and one on a network bounds its own wait far below this, so
 * that what it knows without the network still counts.
 */
const HINT_TIMEOUT_MS = 250
/** Notes under way. An index that is slower than the requests loses notes, not memory. */
const NOTES_MAX = 256

/** How many leading blocks of a prompt each instance holds. */
export type PrefixHints = ReadonlyMap<string, number>

export const NO_HINTS: PrefixHints = new Map()

export class PrefixHintSource {
  readonly #index: PrefixIndex | undefined
  readonly #timer: Timer
  #notes = 0

  /** @param index without one there is never a hint */
  constructor(index: PrefixIndex | undefined, timer: Timer) {
    this.#index = index
    this.#timer = timer
  }

  /**
   * Finds out which workers hold the blocks. Never rejects, and takes at most
   * {@link HINT_TIMEOUT_MS}.
   *
   * @param blocks of the prompt, the earliest first
   */
  async find(blocks: readonly string[]): Promise<PrefixHints> {
    if (this.#index === undefined || blocks.length === 0) return NO_HINTS
    try {
      return await within(this.#timer, HINT_TIMEOUT_MS, found(this.#index, blocks), NO_HINTS)
    } catch {
      return NO_HINTS
    }
  }

  /** Notes that an instance will hold these blocks in a moment. Nobody waits for it. */
  note(instanceId: string, blocks: readonly string[]): void {
    if (this.#index === undefined || blocks.length === 0 || this.#notes >= NOTES_MAX) return
    this.#notes += 1
    void noted(this.#index, instanceId, blocks).finally(() => {
      this.#notes -= 1
    })
  }
}

async function found(index: PrefixIndex, blocks: readonly string[]): Promise<PrefixHints> {
  const places = await index.find(blocks)
  return new Map(places.map(({ instanceId, blocks: held }) => [instanceId, held]))
}

/** Notes the blocks. Never rejects: what cannot be noted is left out. */
async function noted(
  index: PrefixIndex,
  instanceId: string,
  blocks: readonly string[],
): Promise<void> {
  try {
    await index.note(instanceId, blocks)
  } catch {
    // The port counts its failures itself.
  }
}
