/**
 * Remembers in the memory of one gateway which worker holds which prefix. It is bounded, and the
 * oldest give way.
 */
import type { PrefixIndex, PrefixPlace } from '@svc/contracts/ports/prefix-index'
import type { Clock } from '@svc/contracts/ports/time'
import { steadyClock } from '../../system/steady-clock.ts'
import {
  HOLDERS_MAX,
  type Holder,
  NOTED_CHAIN_BLOCKS_MAX,
  notedNames,
  placesOf,
} from '../noted-blocks.ts'

/** The most entries when nobody sets another number: about 20 MB when each stands alone. */
const DEFAULT_ENTRIES_MAX = 100_000
const DEFAULT_TTL_MS = 300_000

export interface MemoryPrefixIndexOptions {
  /** Notes of a worker at a block. */
  readonly entriesMax?: number | undefined
  /** How long a note holds. */
  readonly ttlMs?: number | undefined
  readonly clock?: Clock | undefined
}

export class MemoryPrefixIndex implements PrefixIndex {
  readonly failures = 0
  /** The blocks, the one noted longest ago first, and their holders in the same order. */
  readonly #blocks = new Map<string, Map<string, number>>()
  readonly #entriesMax: number
  readonly #ttlMs: number
  readonly #clock: Clock
  #entries = 0

  constructor({
    entriesMax = DEFAULT_ENTRIES_MAX,
    ttlMs = DEFAULT_TTL_MS,
    clock = steadyClock,
  }: MemoryPrefixIndexOptions = {}) {
    this.#entriesMax = entriesMax
    this.#ttlMs = ttlMs
    this.#clock = clock
  }

  async note(instanceId: string, names: readonly string[]): Promise<void> {
    const nowMs = this.#clock.nowMs()
    for (const name of notedNames(names)) {
      const holders = this.#take(name)
      holders.delete(instanceId)
      holders.set(instanceId, nowMs + this.#ttlMs)
      for (const [holder, untilMs] of holders) {
        if (untilMs > nowMs && holders.size <= HOLDERS_MAX) break
        holders.delete(holder)
      }
      this.#blocks.set(name, holders)
      this.#entries += holders.size
    }
    this.#makeRoom()
  }

  async find(names: readonly string[]): Promise<readonly PrefixPlace[]> {
    const nowMs = this.#clock.nowMs()
    const chain = names.slice(0, NOTED_CHAIN_BLOCKS_MAX)
    return placesOf(chain.map((name) => this.#holders(name, nowMs)))
  }

  async close(): Promise<void> {
    this.#blocks.clear()
    this.#entries = 0
  }

  #holders(name: string, nowMs: number): readonly Holder[] {
    return [...(this.#blocks.get(name) ?? [])]
      .map(([instanceId, untilMs]) => ({ instanceId, untilMs }))
      .filter(({ untilMs }) => untilMs > nowMs)
  }

  /** Takes the holders of a block out, to be put in again as the youngest. */
  #take(name: string): Map<string, number> {
    const holders = this.#blocks.get(name) ?? new Map<string, number>()
    this.#entries -= holders.size
    this.#blocks.delete(name)
    return holders
  }

  #makeRoom(): void {
    for (const name of this.#blocks.keys()) {
      if (this.#entries <= this.#entriesMax) return
      this.#take(name)
    }
  }
}
