import type { BusRecord, Subscription } from '@svc/contracts/ports/bus'

/** Consumers that share the records of a topic. */
export interface MemoryGroup {
  /** The members in the order in which they came. Each partition belongs to one of them. */
  readonly members: unknown[]
  /** The first record of each partition that is not taken. */
  readonly taken: Map<number, number>
}

/** What several buses in one process share, as several clients share one cluster. */
export class MemoryCluster {
  readonly topics = new Map<string, BusRecord[][]>()
  readonly #groups = new Map<string, MemoryGroup>()
  #back = Promise.withResolvers<void>()
  #change = Promise.withResolvers<void>()
  #isAway = false

  get isAway(): boolean {
    return this.#isAway
  }

  /** Nothing is answered until {@link MemoryCluster.comeBack}. */
  goAway(): void {
    this.#isAway = true
    this.#back = Promise.withResolvers()
    this.noteChange()
  }

  comeBack(): void {
    this.#isAway = false
    this.#back.resolve()
    this.noteChange()
  }

  /** Forgets the last records of a partition, as a cluster without a durable leader does. */
  lose(topic: string, partition: number, count: number): void {
    const records = this.topics.get(topic)?.[partition] ?? []
    records.splice(records.length - count, count)
  }

  untilBack(): Promise<void> {
    return this.#isAway ? this.#back.promise : Promise.resolve()
  }

  /** Resolves when a consumer may have something to do that it had not before. */
  get changed(): Promise<void> {
    return this.#change.promise
  }

  noteChange(): void {
    this.#change.resolve()
    this.#change = Promise.withResolvers()
  }

  group({ topic, group: name }: Pick<Subscription, 'topic' | 'group'>): MemoryGroup {
    const key = JSON.stringify([topic, name])
    const group = this.#groups.get(key) ?? { members: [], taken: new Map() }
    this.#groups.set(key, group)
    return group
  }
}
