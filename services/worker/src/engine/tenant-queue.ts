/**
 * Who is served next: first in, first out within a tenant, and the tenants take turns, so that one
 * who sends a hundred requests delays another's first by one turn, not by a hundred.
 */
export class TenantQueue<Item> {
  /** In the order of their turns: the first key is next. Never holds an empty line. */
  readonly #lines = new Map<string, Item[]>()
  readonly #limit: number
  #length = 0

  /** @param limit items that may wait at once, of all tenants together */
  constructor(limit: number) {
    this.#limit = limit
  }

  get length(): number {
    return this.#length
  }

  get isFull(): boolean {
    return this.#length >= this.#limit
  }

  /** @returns false, and does nothing, when the queue is full */
  push(tenant: string, item: Item): boolean {
    if (this.isFull) return false
    const line = this.#lines.get(tenant)
    if (line === undefined) this.#lines.set(tenant, [item])
    else line.push(item)
    this.#length += 1
    return true
  }

  /** Takes the oldest item of the tenant whose turn it is; that tenant's next turn is the last. */
  shift(): Item | undefined {
    const [turn] = this.#lines
    if (turn === undefined) return undefined
    const [tenant, line] = turn
    const item = line.shift()
    this.#lines.delete(tenant)
    if (line.length > 0) this.#lines.set(tenant, line)
    this.#length -= 1
    return item
  }

  /** @returns whether the item was waiting */
  remove(tenant: string, item: Item): boolean {
    const line = this.#lines.get(tenant)
    const index = line?.indexOf(item) ?? -1
    if (line === undefined || index === -1) return false
    line.splice(index, 1)
    if (line.length === 0) this.#lines.delete(tenant)
    this.#length -= 1
    return true
  }
}
