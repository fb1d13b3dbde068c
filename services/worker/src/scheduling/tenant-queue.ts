/**
 * Who is served next: first in, first out within a tenant, and of the tenants the one that has the
 * fewest sequences for its weight. Those that have equally few take turns, so that one who sends a
 * hundred requests delays another's first by one turn, not by a hundred. A tenant with a weight of
 * 3 has three turns in a row.
 */
import type { WaitingTenant } from './giving-way.ts'

interface Waiting<Item> {
  readonly items: Item[]
  weight: number
  /** How many turns it still has before the next tenant's. */
  turns: number
}

export class TenantQueue<Item> {
  /**
   * Tenants in the order of their turns: the first key is next. The map never holds an empty queue.
   */
  readonly #tenants = new Map<string, Waiting<Item>>()
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

  /** Whether an item of this tenant finds no room. */
  isFullFor(tenant: string): boolean {
    return this.isFull || this.#waitingOf(tenant) >= this.#tenantLimit
  }

  /**
   * @param weight turns in a row that the tenant has, as its newest request says
   * @returns false, and does nothing, when the queue is full, or the tenant's waiting
   */
  push(tenant: string, item: Item, weight = 1): boolean {
    if (this.isFullFor(tenant)) return false
    const waiting = this.#tenants.get(tenant) ?? { items: [], weight, turns: weight }
    waiting.weight = weight
    waiting.items.push(item)
    this.#tenants.set(tenant, waiting)
    this.#length += 1
    return true
  }

  /**
   * Finds the item that has to go so that an item of this tenant can wait. When the queue is full
   * it is the newest item of the tenant with the longest queue, unless that is not longer than this
   * tenant's own would be.
   *
   * @param mayGo whether an item can be asked to leave
   * @returns undefined when nobody has to go, or nobody can: then `push` refuses
   */
  toMakeRoomFor(tenant: string, mayGo: (item: Item) => boolean): Item | undefined {
    if (!this.isFull || this.#waitingOf(tenant) >= this.#tenantLimit) return undefined
    let length = this.#waitingOf(tenant) + 1
    let newest: Item | undefined
    for (const { items } of this.#tenants.values()) {
      const last = items.at(-1)
      if (items.length <= length || last === undefined || !mayGo(last)) continue
      length = items.length
      newest = last
    }
    return newest
  }

  #waitingOf(tenant: string): number {
    return this.#tenants.get(tenant)?.items.length ?? 0
  }

  /** Puts an item that was taken in front of its tenant's others, also when the queue is full. */
  putBack(tenant: string, item: Item, weight: number): void {
    const waiting = this.#tenants.get(tenant) ?? { items: [], weight, turns: weight }
    waiting.items.unshift(item)
    this.#tenants.set(tenant, waiting)
    this.#length += 1
  }

  /** Whose items wait. */
  tenants(): readonly WaitingTenant[] {
    return Array.from(this.#tenants, ([tenant, { weight }]) => ({ tenant, weight }))
  }

  /**
   * Takes the oldest item of the tenant whose turn it is; after its turns it is the last.
   *
   * @param heldBy how many sequences a tenant has: those with fewer for their weight come first,
   *   and one that has infinitely many is passed over and keeps its turn
   */
  shift(heldBy: (tenant: string) => number = () => 0): Item | undefined {
    const turn = this.#next(heldBy)
    if (turn === undefined) return undefined
    const [tenant, waiting] = turn
    const item = waiting.items.shift()
    waiting.turns -= 1
    this.#length -= 1
    if (waiting.items.length === 0) this.#tenants.delete(tenant)
    else if (waiting.turns <= 0) {
      waiting.turns = waiting.weight
      this.#tenants.delete(tenant)
      this.#tenants.set(tenant, waiting)
    }
    return item
  }

  #next(heldBy: (tenant: string) => number): readonly [string, Waiting<Item>] | undefined {
    let next: readonly [string, Waiting<Item>] | undefined
    let fewest = Number.POSITIVE_INFINITY
    for (const [tenant, waiting] of this.#tenants) {
      const share = heldBy(tenant) / waiting.weight
      if (share >= fewest) continue
      fewest = share
      next = [tenant, waiting]
    }
    return next
  }

  /** @returns whether the item was waiting */
  remove(tenant: string, item: Item): boolean {
    const waiting = this.#tenants.get(tenant)
    const index = waiting?.items.indexOf(item) ?? -1
    if (waiting === undefined || index === -1) return false
    waiting.items.splice(index, 1)
    if (waiting.items.length === 0) this.#tenants.delete(tenant)
    this.#length -= 1
    return true
  }
}
