/**
 * Blocks in the memory of a process, bounded by bytes: a worker's L1.
 *
 * When there is no room, the block that was not used for longest goes. A block is of no use without
 * the ones before it, so children must go before their parent. Nothing is sorted for that: using a
 * chain touches its last block first and its first block last, so a parent is always younger than
 * its children, and whoever takes the oldest takes a block that nobody hangs on.
 *
 * Each tenant may hold only a share of the room. Beyond it the tenant's own oldest block goes, so
 * one who sends much does not push out the blocks of all others.
 *
 * The blocks are not copied when they are put in or given out: nobody may write into them.
 */
import type {
  BegunBlock,
  NearPrefixStore,
  PrefixBlock,
  PrefixClaim,
  PrefixStoreUsage,
} from '@svc/contracts/ports/prefix-store'
import type { Clock } from '@svc/contracts/ports/time'
import { steadyClock } from '../../system/steady-clock.ts'
import { Claims } from './claims.ts'
import { detached, storedBytes } from './stored-block.ts'

const DEFAULT_TENANT_SHARE = 0.5
/** Of the blocks that follow one, the youngest that are compared with a prompt. */
const COMPARED_MAX = 256

export interface MemoryPrefixStoreOptions {
  /** The most bytes of all blocks, with what keeping them takes. */
  readonly bytesMax: number
  /** The share of them that one tenant may hold, above 0 and at most 1. */
  readonly tenantShare?: number | undefined
  readonly clock?: Clock | undefined
}

interface Entry {
  readonly block: PrefixBlock
  readonly bytes: number
  readonly shelf: Shelf
}

/** The blocks that one tenant holds. */
interface Shelf {
  readonly tenant: string
  /** The entries, the oldest first, as in the store. */
  readonly entries: Map<string, Entry>
  bytes: number
}

export class MemoryPrefixStore implements NearPrefixStore {
  /** The entries, the oldest first: a Map keeps the order in which keys were put in. */
  readonly #entries = new Map<string, Entry>()
  readonly #shelves = new Map<string, Shelf>()
  /** The blocks that follow each block, the first that was put in first. */
  readonly #following = new Map<string, Set<PrefixBlock>>()
  readonly #claims: Claims
  readonly #bytesMax: number
  readonly #tenantBytesMax: number
  #bytes = 0
  #sampledFrom = 0
  #isClosed = false
  readonly #counts = { evictions: 0, hits: 0, misses: 0, writes: 0, refused: 0 }

  constructor({
    bytesMax,
    tenantShare = DEFAULT_TENANT_SHARE,
    clock = steadyClock,
  }: MemoryPrefixStoreOptions) {
    if (!(bytesMax >= 0)) throw new RangeError('bytesMax must be 0 or more')
    if (!(tenantShare > 0 && tenantShare <= 1)) {
      throw new RangeError('tenantShare must be above 0 and at most 1')
    }
    this.#bytesMax = bytesMax
    this.#tenantBytesMax = bytesMax * tenantShare
    this.#claims = new Claims(clock)
  }

  async get(names: readonly string[], signal?: AbortSignal): Promise<readonly PrefixBlock[]> {
    const found = signal?.aborted === true ? [] : this.#leading(names)
    this.#counts.hits += found.length
    this.#counts.misses += names.length - found.length
    this.#use(found.at(-1))
    return found.map(({ block }) => block)
  }

  following(name: string, tokens: readonly number[]): BegunBlock | undefined {
    let best: BegunBlock | undefined
    for (const block of [...(this.#following.get(name) ?? [])].slice(-COMPARED_MAX)) {
      const sharedTokens = sharedLength(block.tokens, tokens)
      if (sharedTokens > (best?.sharedTokens ?? 0)) best = { block, sharedTokens }
    }
    if (best !== undefined) this.#use(this.#entries.get(best.block.name))
    return best
  }

  async has(names: readonly string[]): Promise<number> {
    return this.#leading(names).length
  }

  async put(tenant: string, blocks: readonly PrefixBlock[]): Promise<void> {
    const first = blocks.findIndex(({ name }) => !this.#entries.has(name))
    if (first === -1) return
    const shelf = this.#shelves.get(tenant) ?? { tenant, entries: new Map(), bytes: 0 }
    const kept = this.#fitting(shelf, blocks.slice(first))
    for (const block of kept) this.#append(shelf, block)
    this.#counts.writes += kept.length
    this.#counts.refused += blocks.length - first - kept.length
    this.#use(shelf.entries.get(kept.at(-1)?.name ?? ''))
    this.#makeRoom(shelf)
  }

  async remove(name: string): Promise<void> {
    const removed = this.#entries.get(name)
    if (removed === undefined) return
    const gone = new Set([name])
    // The youngest come first, so that a block is met after the one that it hangs on.
    for (const entry of [...removed.shelf.entries.values()].reverse()) {
      const { name: own, parent } = entry.block
      if (!gone.has(own) && !(parent !== null && gone.has(parent))) continue
      gone.add(own)
      this.#drop(entry)
    }
  }

  async sample(limit: number): Promise<readonly string[]> {
    const names = [...this.#entries.keys()]
    const count = Math.min(Math.max(0, Math.floor(limit)), names.length)
    const step = names.length / Math.max(1, count)
    // The sample starts elsewhere each time, so that in time all are seen.
    this.#sampledFrom = (this.#sampledFrom + 1) % Math.max(1, Math.ceil(step))
    return Array.from({ length: count }, (_, at) => {
      const index = (Math.floor(at * step) + this.#sampledFrom) % names.length
      return names[index] ?? ''
    })
  }

  async claim(name: string, forMs: number): Promise<PrefixClaim | null> {
    return this.#claims.take(name, forMs)
  }

  usage(): PrefixStoreUsage {
    return {
      blocks: this.#entries.size,
      bytes: this.#bytes,
      bytesMax: this.#bytesMax,
      ...this.#counts,
      failures: 0,
      corrupt: 0,
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#entries.clear()
    this.#shelves.clear()
    this.#following.clear()
    this.#claims.clear()
    this.#bytes = 0
  }

  #leading(names: readonly string[]): readonly Entry[] {
    const found: Entry[] = []
    for (const name of names) {
      const entry = this.#entries.get(name)
      if (entry === undefined) break
      found.push(entry)
    }
    return found
  }

  /** The leading blocks that hang together and fit into the tenant's share, with those before. */
  #fitting(shelf: Shelf, blocks: readonly PrefixBlock[]): readonly PrefixBlock[] {
    const parent = blocks[0]?.parent ?? null
    if (this.#isClosed || (parent !== null && !shelf.entries.has(parent))) return []
    let freeBytes = Math.min(this.#tenantBytesMax, this.#bytesMax)
    for (const { bytes } of this.#chain(parent)) freeBytes -= bytes
    const kept: PrefixBlock[] = []
    for (const block of blocks) {
      const previous = kept.at(-1)
      if (previous !== undefined && block.parent !== previous.name) break
      freeBytes -= storedBytes(block)
      if (freeBytes < 0 || this.#entries.has(block.name)) break
      kept.push(block)
    }
    return kept
  }

  #append(shelf: Shelf, block: PrefixBlock): void {
    const entry: Entry = { block: detached(block), bytes: storedBytes(block), shelf }
    this.#shelves.set(shelf.tenant, shelf)
    this.#entries.set(block.name, entry)
    shelf.entries.set(block.name, entry)
    shelf.bytes += entry.bytes
    this.#bytes += entry.bytes
    const { parent } = block
    if (parent === null) return
    const siblings = this.#following.get(parent) ?? new Set()
    this.#following.set(parent, siblings.add(entry.block))
  }

  /** Makes a block and all before it the youngest, the first block last. */
  #use(last: Entry | undefined): void {
    for (const entry of this.#chain(last?.block.name ?? null)) {
      const { name } = entry.block
      for (const entries of [this.#entries, entry.shelf.entries]) {
        entries.delete(name)
        entries.set(name, entry)
      }
    }
  }

  /** A block and all before it, the first block last. */
  *#chain(name: string | null): Generator<Entry, void> {
    let entry = this.#entries.get(name ?? '')
    while (entry !== undefined) {
      yield entry
      entry = this.#entries.get(entry.block.parent ?? '')
    }
  }

  #makeRoom(shelf: Shelf): void {
    while (shelf.bytes > this.#tenantBytesMax) this.#evictOldest(shelf.entries)
    while (this.#bytes > this.#bytesMax) this.#evictOldest(this.#entries)
  }

  #evictOldest(entries: ReadonlyMap<string, Entry>): void {
    const [oldest] = entries.values()
    if (oldest === undefined) throw new Error('bytes are counted that nobody holds')
    this.#drop(oldest)
    this.#counts.evictions += 1
  }

  #drop({ block, bytes, shelf }: Entry): void {
    this.#entries.delete(block.name)
    shelf.entries.delete(block.name)
    if (shelf.entries.size === 0) this.#shelves.delete(shelf.tenant)
    shelf.bytes -= bytes
    this.#bytes -= bytes
    const { parent } = block
    const siblings = this.#following.get(parent ?? '')
    siblings?.delete(block)
    if (siblings?.size === 0) this.#following.delete(parent ?? '')
  }
}

/** How many leading tokens are the same. */
function sharedLength(one: Int32Array, other: readonly number[]): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return length
}
