/**
 * Senders with kafkajs that are set or used as its documentation shows, and lose or reorder records
 * when something fails. The proof of the adapter has to find each of them: see
 * `planted-faults.int.test.ts`.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { BusRecord } from '@svc/contracts/ports/bus'
import kafkajs, { type Producer } from 'kafkajs'

export interface Sender {
  /** Resolves when the next delivery may come; what is sent may be under way still. */
  deliver(records: readonly BusRecord[]): Promise<void>
  /** Resolves when nothing is under way any more. */
  settle(): Promise<void>
  close(): Promise<void>
}

/** How long a sender waits for an answer: longer than a broker takes for it. */
const REQUEST_TIMEOUT_MS = 2_000
const UNDER_WAY = 5
/** A sender that wedges would else try again thousands of times a second, and leave no time. */
const AGAIN_MS = 50
const ALL_REPLICAS = -1
const NO_REPLICA = 0

interface Planted {
  readonly words: string
  readonly idempotent: boolean
  readonly acks: number
  /** Sends that may be under way at once. */
  readonly underWay: number
  /** Whether a batch that failed is sent again, and how often kafkajs does so by itself. */
  readonly again: 'until it is acknowledged' | 'never'
}

const sound = {
  idempotent: true,
  acks: ALL_REPLICAS,
  underWay: 1,
  again: 'until it is acknowledged',
} as const

export const plantedFaults: readonly Planted[] = [
  { ...sound, words: 'waits for no acknowledgement', idempotent: false, acks: NO_REPLICA },
  { ...sound, words: 'gives a failed batch up and goes on', idempotent: false, again: 'never' },
  { ...sound, words: 'has several batches under way', idempotent: false, underWay: UNDER_WAY },
  { ...sound, words: 'uses a sequence number twice', underWay: UNDER_WAY },
]

export class PlantedSender implements Sender {
  readonly #planted: Planted
  readonly #topic: string
  readonly #producer: Producer
  readonly #underWay = new Set<Promise<void>>()
  #isClosed = false

  static async open(planted: Planted, topic: string, broker: string): Promise<PlantedSender> {
    const client = new kafkajs.Kafka({
      brokers: [broker],
      requestTimeout: REQUEST_TIMEOUT_MS,
      logLevel: kafkajs.logLevel.NOTHING,
      retry: { retries: 0 },
    })
    const producer = client.producer({
      idempotent: planted.idempotent,
      maxInFlightRequests: planted.underWay,
      allowAutoTopicCreation: false,
      createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
      // kafkajs refuses an idempotent producer that retries nothing.
      retry: { retries: planted.idempotent ? 1 : 0 },
    })
    await producer.connect()
    return new PlantedSender(planted, topic, producer)
  }

  private constructor(planted: Planted, topic: string, producer: Producer) {
    this.#planted = planted
    this.#topic = topic
    this.#producer = producer
  }

  async deliver(records: readonly BusRecord[]): Promise<void> {
    const sending = this.#send(records).finally(() => this.#underWay.delete(sending))
    this.#underWay.add(sending)
    if (this.#underWay.size >= this.#planted.underWay) await Promise.race(this.#underWay)
  }

  async settle(): Promise<void> {
    await Promise.all(this.#underWay)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#producer.disconnect()
  }

  async #send(records: readonly BusRecord[]): Promise<void> {
    const { acks, again } = this.#planted
    const messages = records.map((record) => ({ ...record }))
    while (!this.#isClosed) {
      try {
        await this.#producer.send({ topic: this.#topic, acks, messages })
        return
      } catch {
        if (again === 'never') return
        await delay(AGAIN_MS)
      }
    }
  }
}
