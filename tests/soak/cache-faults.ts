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
  /** It refuses to write, for some conversations. */
  'redis_full',
  /** Blocks are spoilt, or lie under the names of others. */
  'redis_altered',
  /** Killed with what it is doing, and started again at once. */
  'worker_killed',
  /** Stopped in what it is doing for a moment, as by a machine that sleeps. */
  'worker_frozen',
] as const
export type FaultKind = (typeof faultKinds)[number]

/** Conversations between one fault and the next. */
const FAULT_EVERY = 5
/** Conversations until Redis is well again. */
const LASTS = 3
/** So small that whatever is written is too much. */
const FULL = { maxmemory: '1', 'maxmemory-policy': 'noeviction' }
const ALTERED_BLOCKS_MAX = 256

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
      case 'redis_full': {
        const usual = await this.#settings(Object.keys(FULL))
        await this.#set(FULL)
        this.#heal = { from: healFrom, run: () => this.#set(usual) }
        return
      }
      case 'redis_altered':
        return await this.#alterBlocks()
      case 'worker_killed':
        return await this.#fleet.killAndRestart()
      case 'worker_frozen':
        return await this.#fleet.freezeForAMoment()
      default:
        return kind satisfies never
    }
  }

  async #settings(names: readonly string[]): Promise<Record<string, string>> {
    const found: Record<string, string> = {}
    for (const name of names) {
      const [, value] = [await this.#redis.command('CONFIG', 'GET', name)].flat()
      found[name] = String(value)
    }
    return found
  }

  async #set(settings: Readonly<Record<string, string>>): Promise<void> {
    await this.#redis.command('CONFIG', 'SET', ...Object.entries(settings).flat())
  }

  async #alterBlocks(): Promise<void> {
    const keys = [await this.#redis.command('KEYS', '*:b:*')].flat().map(String)
    let before: Buffer = Buffer.from('no block')
    for (const [at, key] of shuffled(keys, this.#random).slice(0, ALTERED_BLOCKS_MAX).entries()) {
      // One that was altered before and that nobody has asked for is no text.
      const value = await this.#redis.command('GET', key).catch(() => null)
      if (!Buffer.isBuffer(value)) continue
      const altered = alterations[at % alterations.length]?.(value, before)
      before = value
      if (altered !== undefined) await this.#redis.command('SET', key, altered)
      else {
        await this.#redis.command('DEL', key)
        // A worker may have written it again by then.
        await this.#redis.command('RPUSH', key, value).catch(() => {})
      }
    }
  }
}

/** Each makes something else of a sealed block; undefined stands for a value of another type. */
const alterations: readonly ((block: Buffer, other: Buffer) => Buffer | undefined)[] = [
  (_block, other) => other,
  (block) => withBitTurned(block, block.length - 1),
  (block) => withBitTurned(block, 0),
  (block) => block.subarray(0, block.length / 2),
  () => undefined,
]

function withBitTurned(block: Buffer, place: number): Buffer {
  const turned = Buffer.from(block)
  turned.writeUInt8(turned.readUInt8(place) ^ 1, place)
  return turned
}

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  return items
    .map((item) => ({ item, lot: random.next() }))
    .toSorted((one, other) => one.lot - other.lot)
    .map(({ item }) => item)
}
