/** What goes wrong during the cache's soak test, and when: the same for the same seed. */

import type { Random } from '@svc/testing/random'
import type { RedisServer } from '@svc/testing/redis/redis-server'
import type { CacheFleet } from './cache-fleet.ts'

export const faultKinds = [
  /** All keys are removed. */
  'redis_flushed',
  /** Killed, gone for some conversations, then back and empty. */
  'redis_killed',
  /** Open connections on which nothing is answered, for some conversations. */
  'redis_frozen',
  /** Killed with what it is doing, and started again at once. */
  'worker_killed',
] as const
export type FaultKind = (typeof faultKinds)[number]

/** Conversations between one fault and the next. */
const FAULT_EVERY = 8
/** Conversations until Redis is well again. */
const LASTS = 4

export class Faults {
  readonly #redis: RedisServer
  readonly #fleet: CacheFleet
  readonly #random: Random
  readonly #counts = new Map<FaultKind, number>(faultKinds.map((kind) => [kind, 0]))
  /** All kinds come up equally often, in an order that is drawn. */
  #deck: FaultKind[] = []
  #heal: { readonly from: number; readonly run: () => Promise<void> } | null = null
  /** Faults come one after the other. */
  #line: Promise<void> = Promise.resolve()

  constructor(redis: RedisServer, fleet: CacheFleet, random: Random) {
    this.#redis = redis
    this.#fleet = fleet
    this.#random = random
  }

  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts)
  }

  /** Before each conversation, in their order. What it starts goes on while they are held. */
  before(conversation: number): Promise<void> {
    this.#line = this.#line.then(async () => {
      if (this.#heal !== null && conversation >= this.#heal.from) await this.heal()
      if (conversation % FAULT_EVERY === FAULT_EVERY - 1) await this.#next(conversation)
    })
    return this.#line
  }

  /** Redis is well again. */
  async heal(): Promise<void> {
    const heal = this.#heal
    this.#heal = null
    await heal?.run()
  }

  async #next(conversation: number): Promise<void> {
    if (this.#deck.length === 0) this.#deck = shuffled(faultKinds, this.#random)
    const kind = this.#deck.pop()
    if (kind === undefined) return
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1)
    await this.heal()
    await this.#cause(kind, conversation + LASTS)
  }

  async #cause(kind: FaultKind, healFrom: number): Promise<void> {
    switch (kind) {
      case 'redis_flushed':
        return await this.#redis.flush()
      case 'redis_killed':
        await this.#redis.kill()
        this.#heal = { from: healFrom, run: () => this.#redis.restart() }
        return
      case 'redis_frozen':
        await this.#redis.freeze()
        this.#heal = { from: healFrom, run: () => this.#redis.thaw() }
        return
      case 'worker_killed':
        return await this.#fleet.killAndRestart()
      default:
        return kind satisfies never
    }
  }
}

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  return items
    .map((item) => ({ item, lot: random.next() }))
    .toSorted((one, other) => one.lot - other.lot)
    .map(({ item }) => item)
}
