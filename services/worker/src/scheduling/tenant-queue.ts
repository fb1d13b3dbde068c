/**
 * Who is served next: first in, first out within a tenant, and of the tenants the one that has the
 * fewest sequences for its weight. Those that have equally few take turns, so that one who sends a
 * hundred requests delays another's first by one turn, not by a hundred. A tenant with a weight of
 * 3 has three turns in a row.
 */
import type { WaitingTenant } from './giving-way.ts'

interface Line<Item> {
  readonly items: Item[]
  weight: number
  /** How many turns it still has before the next tenant's. */
  turns: number
}

export class TenantQueue<Item> {
  /** In the order of their turns: the first key is next. Never holds an empty line. */
  readonly #lines = new Map<string, Line<Item>>()
  readonly #limit: number
  readonly #tenantLimit: number
  #length = 0

  /**
   * @param limit items that may wait at once, of all tenants together
   * @param tenantLimit of one tenant
   */
  constructor(limit: number, tenantLimit = limit) {
    this.#limit = limit
    this.#tenantLimit = tenantLimit
  }

  get length(): number {
    return this.#length
  }

  get isFull(): boolean {
    return this.#length >= this.#limit
  }

  /**
   * @param weight turns in a row that the tenant has, as its newest request says
   * @returns false, and does nothing, when the queue is full, or the tenant's line
   */
  push(tenant: string, item: Item, weight = 1): boolean {
    if (this.isFull || this.#waitingOf(tenant) >= this.#tenantLimit) return false
    const line = this.#lines.get(tenant) ?? { items: [], weight, turns: weight }
    line.weight = weight
    line.items.push(item)
    this.#lines.set(tenant, line)
    this.#length += 1
    return true
  }

  /**
   * Who has to go so that an item of this tenant can wait: when the queue is full, the newest item
   * of the longest line, unless that is not longer than the tenant's own would be.
   *
   * @param mayGo whether an item can be asked to leave
   * @returns undefined when nobody has to go, or nobody can: then `push` refuses
   */
  toMakeRoomFor(tenant: string, mayGo: (item: Item) => boolean): Item | undefined {
    if (!this.isFull || this.#waitingOf(tenant) >= this.#tenantLimit) return undefined
    let length = this.#waitingOf(tenant) + 1
    let newest: Item | undefined
    for (const { items } of this.#lines.values()) {
      const last = items.at(-1)
      if (items.length <= length || last === undefined || !mayGo(last)) continue
      length = items.length
      newest = last
    }
    return newest
  }

  #waitingOf(tenant: string): number {
    return this.#lines.get(tenant)?.items.length ?? 0
  }

  /** Puts an item that was taken in front of its tenant's others, also when the queue is full. */
  putBack(tenant: string, item: Item, weight: number): void {
    const line = this.#lines.get(tenant) ?? { items: [], weight, turns: weight }
    line.items.unshift(item)
    this.#lines.set(tenant, line)
    this.#length += 1
  }

  /** Whose items wait. */
  tenants(): readonly WaitingTenant[] {
    return Array.from(this.#lines, ([tenant, { weight }]) => ({ tenant, weight }))
  }

  /**
   * Takes the oldest item of the tenant whose turn it is; after its turns it is the last.
   *
   * @param heldBy how many sequences a tenant has: those with fewer for their weight come first
   */
  shift(heldBy: (tenant: string) => number = () => 0): Item | undefined {
    const turn = this.#next(heldBy)
    if (turn === undefined) return undefined
    const [tenant, line] = turn
    const item = line.items.shift()
    line.turns -= 1
    this.#length -= 1
    if (line.items.length === 0) this.#lines.delete(tenant)
    else if (line.turns <= 0) {
      line.turns = line.weight
      this.#lines.delete(tenant)
      this.#lines.set(tenant, line)
    }
    return item
  }

  #next(heldBy: (tenant: string) => number): readonly [string, Line<Item>] | undefined {
    let next: readonly [string, Line<Item>] | undefined
    let fewest = Number.POSITIVE_INFINITY
    for (const [tenant, line] of this.#lines) {
      const share = heldBy(tenant) / line.weight
      if (share >= fewest) continue
      fewest = share
      next = [tenant, line]
    }
    return next
  }

  /** @returns whether the item was waiting */
  remove(tenant: string, item: Item): boolean {
    const line = this.#lines.get(tenant)
    const index = line?.items.indexOf(item) ?? -1
    if (line === undefined || index === -1) return false
    line.items.splice(index, 1)
    if (line.items.length === 0) this.#lines.delete(tenant)
    this.#length -= 1
    return true
  }
}
