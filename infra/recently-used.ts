/** A bounded memory: what was used least recently goes first. */

export interface MemoryBounds<Key, Value> {
  readonly entriesMax: number
  /** The most that all entries may weigh, by `of`; absent where only entries are counted. */
  readonly weight?: { readonly max: number; of(key: Key, value: Value): number }
}

interface Entry<Value> {
  readonly value: Value
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

  #isTooFull(): boolean {
    const { entriesMax, weight } = this.#bounds
    return this.#entries.size > entriesMax || (weight !== undefined && this.#weight > weight.max)
  }

  #forget(key: Key): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0
    this.#entries.delete(key)
  }
}
