/** Takes records of a topic in memory, as one of a group. */
import { messageOf } from '@svc/contracts/error-message'
import type { BusConsumer, ReceivedRecord, Subscription } from '@svc/contracts/ports/bus'
import { pause, type Timer } from '@svc/contracts/ports/time'
import { untilAborted } from '@svc/contracts/ports/within'
import type { MemoryCluster, MemoryGroup } from './memory-cluster.ts'

/** How long it takes until a record that was not taken comes again. */
const TAKE_AGAIN_MS = 200
const AWAY = 'the bus is away'

export class MemoryConsumer implements BusConsumer {
  readonly skipped = null
  readonly #cluster: MemoryCluster
  readonly #timer: Timer
  readonly #subscription: Subscription
  readonly #group: MemoryGroup
  readonly #closing = new AbortController()
  readonly #running: Promise<void>
  #takeTrouble: string | null = null
  /** The partitions of which was looked at what the group has taken. */
  #lookedAt = new Set<number>()
  #told = ''

  constructor(cluster: MemoryCluster, timer: Timer, subscription: Subscription) {
    this.#cluster = cluster
    this.#timer = timer
    this.#subscription = subscription
    this.#group = cluster.group(subscription)
    this.#enter()
    this.#running = this.#run()
  }

  get trouble(): string | null {
    return this.#takeTrouble ?? this.#busTrouble
  }

  get waiting(): bigint | null {
    if (this.#busTrouble !== null) return null
    const left = this.#partitions.map(
      (records, partition) => records.length - this.#next(partition),
    )
    return BigInt(
      left.reduce((sum, count, partition) => {
        return this.#isOurs(partition) ? sum + count : sum
      }, 0),
    )
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the consumer is closed'))
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      const missing = await untilAborted(this.#missing(), signal).catch(messageOf)
      if (signal.aborted) break
      if (missing !== null) {
        await this.#stayOut(missing, signal)
        continue
      }
      const record = this.#busTrouble === null ? this.#waitingRecord() : undefined
      if (record !== undefined) await this.#try(record, signal)
      else {
        if (this.#busTrouble !== null) this.#tell(this.#busTrouble)
        await untilAborted(this.#cluster.changed, signal).catch(() => {})
      }
    }
    this.#leave()
  }

  #enter(): void {
    this.#group.members.push(this)
    this.#cluster.noteChange()
  }

  #leave(): void {
    this.#group.members.splice(this.#group.members.indexOf(this), 1)
    this.#cluster.noteChange()
  }

  /** @returns what is not there of the records that others of the group have taken, in words */
  async #missing(): Promise<string | null> {
    const ours = [...this.#partitions.keys()].filter((partition) => this.#isOurs(partition))
    const gained = ours.filter((partition) => !this.#lookedAt.has(partition))
    this.#lookedAt = new Set(ours)
    for (const partition of gained) {
      const at = this.#next(partition) - 1
      const record = this.#partitions[partition]?.[at]
      if (record === undefined) continue
      const last = { ...record, partition, offset: BigInt(at) }
      const missing = await this.#subscription.lookBack?.(last)
      if (typeof missing === 'string') return missing
    }
    return null
  }

  async #stayOut(missing: string, signal: AbortSignal): Promise<void> {
    this.#leave()
    this.#lookedAt.clear()
    this.#takeTrouble = missing
    this.#tell(missing)
    await pause(this.#timer, TAKE_AGAIN_MS, signal)
    this.#takeTrouble = null
    this.#enter()
  }

  async #try(record: ReceivedRecord, signal: AbortSignal): Promise<void> {
    try {
      await untilAborted(this.#subscription.take(record, signal), signal)
      this.#takeTrouble = null
      this.#pass(record)
    } catch (error) {
      if (signal.aborted) return
      this.#takeTrouble = messageOf(error)
      this.#tell(this.#takeTrouble)
      await pause(this.#timer, TAKE_AGAIN_MS, signal)
    }
  }

  /**
   * Passes a taken record. A member that lost the partition meanwhile does not speak for the group
   * any more.
   */
  #pass({ partition, offset }: ReceivedRecord): void {
    if (this.#isOurs(partition)) this.#group.taken.set(partition, Number(offset) + 1)
  }

  #waitingRecord(): ReceivedRecord | undefined {
    for (const [partition, records] of this.#partitions.entries()) {
      const next = this.#next(partition)
      const record = this.#isOurs(partition) ? records[next] : undefined
      if (record !== undefined) return { ...record, partition, offset: BigInt(next) }
    }
    return undefined
  }

  #next(partition: number): number {
    return this.#group.taken.get(partition) ?? 0
  }

  #isOurs(partition: number): boolean {
    const { members } = this.#group
    return members[partition % members.length] === this
  }

  get #partitions() {
    return this.#cluster.topics.get(this.#subscription.topic) ?? []
  }

  get #busTrouble(): string | null {
    if (this.#cluster.isAway) return AWAY
    const { topic } = this.#subscription
    return this.#cluster.topics.has(topic) ? null : `there is no topic ${topic}`
  }

  #tell(words: string): void {
    if (words === this.#told) return
    this.#told = words
    this.#subscription.onTrouble(words)
  }
}
