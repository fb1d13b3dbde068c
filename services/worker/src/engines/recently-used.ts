/** A bounded memory of what is expensive to make: the least recently used goes first. */

export interface MemoryBounds<Key, Value> {
  readonly entriesMax: number
  /** Of all that is kept, by `weigh`. */
  readonly weightMax: number
  weigh(key: Key, value: Value): number
}

export class RecentlyUsed<Key, Value> {
  readonly #bounds: MemoryBounds<Key, Value>
  /** In the order of their last use. */
  readonly #entries = new Map<Key, { readonly value: Value; readonly weight: number }>()
  #weight = 0

  constructor(bounds: MemoryBounds<Key, Value>) {
    this.#bounds = bounds
  }

  /** What is kept under the key, which counts as a use. */
  find(key: Key): Value | undefined {
    const known = this.#entries.get(key)
    if (known === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, known)
    return known.value
  }

  /** @param make may throw: then nothing is kept */
  get(key: Key, make: () => Value): Value {
    const known = this.find(key)
    if (known !== undefined) return known
    const value = make()
    const weight = this.#bounds.weigh(key, value)
    this.#entries.set(key, { value, weight })
    this.#weight += weight
    this.#forget()
    return value
  }

  #forget(): void {
    const { entriesMax, weightMax } = this.#bounds
    for (const [key, { weight }] of this.#entries) {
      if (this.#entries.size <= entriesMax && this.#weight <= weightMax) return
      this.#entries.delete(key)
      this.#weight -= weight
    }
  }
}
