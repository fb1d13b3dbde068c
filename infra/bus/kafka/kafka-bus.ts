/**
 * Kafka behind the port of a bus. Only this folder knows kafkajs, and why it is used as it is used
 * says decision 0042.
 */
import {
  type Bus,
  type BusConsumer,
  type BusTopic,
  type Subscription,
  type TopicPlan,
  UnsafeTopicError,
} from '@svc/contracts/ports/bus'
import type { Timer } from '@svc/contracts/ports/time'
import { within } from '@svc/contracts/ports/within'
import kafkajs from 'kafkajs'
import { type ConsumerClients, GROUP_REQUEST_TIMEOUT_MS, KafkaConsumer } from './kafka-consumer.ts'
import { closed, failureOf } from './kafka-failure.ts'
import { KafkaTopic, type TopicClients } from './kafka-topic.ts'
import { ownTopicsSocket } from './own-topics-socket.ts'
import { RETRIES } from './topic-reader.ts'
import { settingWarnings, unsafeSettings } from './topic-safety.ts'
import { made, stateOf } from './topic-setup.ts'

const REQUEST_TIMEOUT_MS = 5_000
const CONNECTION_TIMEOUT_MS = 2_000
/** How long a client that is closed may wait for a broker. */
const CLOSE_WITHIN_MS = 1_000

export interface KafkaBusOptions {
  /** The addresses of brokers, each as `host:port`. */
  readonly brokers: readonly string[]
  readonly timer: Timer
  /** How the cluster knows who asks, where it wants to know. */
  readonly security?: KafkaSecurity | undefined
}

export interface KafkaSecurity {
  readonly tls: boolean
  readonly login?:
    | {
        readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'
        readonly username: string
        readonly password: string
      }
    | undefined
}

/** Connects when it is first used. Nothing is printed, whatever kafkajs has to say. */
export class KafkaBus implements Bus {
  readonly #clients: TopicClients & ConsumerClients
  /** How many brokers the operator has named. */
  readonly #named: number
  readonly #opened: (BusTopic | BusConsumer)[] = []

  constructor({ brokers, timer, security }: KafkaBusOptions) {
    const config = clientConfig({ brokers, security })
    this.#named = new Set(brokers).size
    this.#clients = {
      client: new kafkajs.Kafka({ ...config, retry: { retries: 0 } }),
      readingClient: new kafkajs.Kafka({ ...config, retry: RETRIES }),
      groupClient: new kafkajs.Kafka({
        ...config,
        requestTimeout: GROUP_REQUEST_TIMEOUT_MS,
        retry: RETRIES,
      }),
      timer,
    }
  }

  async open(plan: TopicPlan): Promise<BusTopic> {
    const admin = this.#clients.client.admin()
    try {
      await admin.connect()
      const cluster = { named: this.#named, timer: this.#clients.timer }
      const state = (await stateOf(admin, plan.name)) ?? (await made(admin, plan, cluster))
      const problems = unsafeSettings(state, plan.partitions)
      if (problems.length > 0) throw new UnsafeTopicError(plan.name, problems)
      const topic = new KafkaTopic(this.#clients, plan, settingWarnings(state))
      this.#opened.push(topic)
      return topic
    } catch (error) {
      throw error instanceof UnsafeTopicError ? error : failureOf(error)
    } finally {
      void closed(admin)
    }
  }

  consume(subscription: Subscription): BusConsumer {
    const consumer = new KafkaConsumer(this.#clients, subscription)
    this.#opened.push(consumer)
    return consumer
  }

  async close(): Promise<void> {
    const closing = Promise.all(this.#opened.splice(0).map((opened) => opened.close()))
    await within(this.#clients.timer, CLOSE_WITHIN_MS, closing, [])
  }
}

/** Nothing is printed, whatever kafkajs has to say. */
export function clientConfig({ brokers, security }: Omit<KafkaBusOptions, 'timer'>) {
  return {
    clientId: 'svc',
    brokers: [...brokers],
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    logLevel: kafkajs.logLevel.NOTHING,
    socketFactory: ownTopicsSocket,
    ...(security?.tls === true ? { ssl: true } : {}),
    ...(security?.login === undefined ? {} : { sasl: { ...security.login } as never }),
  }
}
