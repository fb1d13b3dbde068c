/** A bounded memory: what was used least recently goes first. */

export interface MemoryBounds<Key, Value> {
  readonly entriesMax: number
  /** The most that all entries may weigh, by `of`; absent where only entries are counted. */
  readonly weight?: { readonly max: number; of(key: Key, value: Value): number }
  /** Whose each entry is, and the part of the room that one owner may have; absent: any. */
  readonly share?: { readonly part: number; of(key: Key): string }
}

interface Entry<Value> {
  readonly value: Value
  readonly weight: number
}

/** How much there is, of all or of one owner. */
interface Amount {
  readonly entries: number
  readonly weight: number
}

export class RecentlyUsed<Key, Value> {
  readonly #bounds: MemoryBounds<Key, Value>
  /**
   * The entries in the order of their last use: a Map keeps the order in which keys were put in.
   */
  readonly #entries = new Map<Key, Entry<Value>>()
  #weight = 0

  constructor(bounds: MemoryBounds<Key, Value>) {
    this.#bounds = bounds
  }

  /** Finds what is kept under the key, which counts as a use. */
  get(key: Key): Value | undefined {
    const known = this.#entries.get(key)
    if (known === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, known)
    return known.value
  }

  /**
   * Keeps a value. If it is too heavy by itself, it is not kept, and neither is anything else then.
   */
  set(key: Key, value: Value): void {
    this.#forget(key)
    const weight = this.#bounds.weight?.of(key, value) ?? 0
    this.#entries.set(key, { value, weight })
    this.#weight += weight
    this.#keepShare(key)
    this.#makeRoom()
  }

  /** @param make what to keep where nothing is; may throw: then nothing is kept */
  getOrMake(key: Key, make: () => Value): Value {
    const known = this.get(key)
    if (known !== undefined) return known
    const value = make()
    this.set(key, value)
    return value
  }

  /** Looks first: to find the oldest key, a Map steps over all that were moved to its end. */
  #makeRoom(): void {
    if (!this.#isTooFull()) return
    for (const key of this.#entries.keys()) {
      this.#forget(key)
      if (!this.#isTooFull()) return
    }
  }

  /** Whoever has more than a share gives up what is oldest of it. */
  #keepShare(added: Key): void {
    const { share } = this.#bounds
    if (share === undefined) return
    const owner = share.of(added)
    const own = [...this.#entries].filter(([key]) => share.of(key) === owner)
    let weight = own.reduce((sum, [, entry]) => sum + entry.weight, 0)
    let entries = own.length
    for (const [key, entry] of own) {
      if (!this.#isTooMuch({ entries, weight }, share.part)) return
      this.#forget(key)
      entries -= 1
      weight -= entry.weight
    }
  }

  #isTooFull(): boolean {
    return this.#isTooMuch({ entries: this.#entries.size, weight: this.#weight })
  }

  #isTooMuch({ entries, weight }: Amount, part = 1): boolean {
    const { entriesMax, weight: bound } = this.#bounds
    return entries > entriesMax * part || (bound !== undefined && weight > bound.max * part)
  }

  #forget(key: Key): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0
    this.#entries.delete(key)
  }
}
