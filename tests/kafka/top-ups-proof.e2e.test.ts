/**
 * Kills, stops and freezes consumers of top-ups and the brokers under load, and then compares the
 * ledger with what was paid: every payment granted once, every poison among the dead letters.
 *
 * `SVC_KAFKA_FAULTS`, `SVC_KAFKA_BROKERS` and `SVC_KAFKA_SEED` as in `feed-proof.e2e.test.ts`.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Operations } from '@svc/contracts/admin/operations'
import { accountStream } from '@svc/contracts/events/account'
import { formatExact } from '@svc/contracts/money'
import type { BusRecord, BusTopic } from '@svc/contracts/ports/bus'
import { KafkaBus } from '@svc/infra/bus/kafka/kafka-bus'
import { systemTimer } from '@svc/infra/system/system-timer'
import { openDataFolder } from '@svc/server/open-data-folder'
import { startAdminServer } from '@svc/testing/admin-server'
import { folderWithHistory } from '@svc/testing/data-folders'
import { describeOnOwnKafka } from '@svc/testing/kafka/describe-on-kafka'
import { CLUSTER_START_MS_MAX, KafkaCluster } from '@svc/testing/kafka/kafka-cluster'
import { Random } from '@svc/testing/random'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'

const PROGRAM = fileURLToPath(new URL('top-ups-program.ts', import.meta.url))
const FAULTS = Number(process.env.SVC_KAFKA_FAULTS ?? 4)
const BROKERS = Number(process.env.SVC_KAFKA_BROKERS ?? 1)
const SEED = Number(process.env.SVC_KAFKA_SEED ?? Date.now() % 1_000_000)
/** Below it no consumer is frozen for longer than its session, which takes 12 s each time. */
const FAULTS_WITH_FREEZES = 10
const LONGER_THAN_A_SESSION_MS = 12_000
const TOPIC = 'payments'
const PARTITIONS = 4
/** An account holds at most 1,000 grants, and 75 payments a second come until the last fault. */
const ACCOUNTS = 24 + 2 * FAULTS
const CENT = 10_000_000_000n
const TOKEN = 'token of the operator'
/** However slow the machine is, in that time one more is granted. */
const STUCK_MS = 60_000
const DRAINED_MS = 600_000
const EXPLAIN_MS = 2_000
const FAULT_MS = 25_000
const POISON = ['{broken', '{"amount":"5"}', '', '[1]']
const never = new AbortController().signal

describeOnOwnKafka(`top-ups on ${BROKERS} brokers that fail (seed ${SEED})`, () => {
  let cluster: KafkaCluster
  beforeAll(async () => {
    cluster = await KafkaCluster.start({ brokers: BROKERS })
  }, CLUSTER_START_MS_MAX)
  afterAll(() => cluster.close())

  test(`are granted once each after ${FAULTS} kills, stops and freezes`, {
    timeout: DRAINED_MS + FAULTS * FAULT_MS,
  }, async () => {
    const run = await TopUpRun.start(cluster)
    const draw = new Random(SEED)
    for (let fault = 0; fault < FAULTS; fault += 1) {
      await delay(500 + draw.next() * 1_500)
      await run.breakOne(draw)
    }
    await run.finish()
    expect(await run.granted()).toEqual(run.paid)
    expect(await run.dead()).toEqual(run.poison)
    const counted = `${run.paid.length} payments, ${run.poison.size} poison`
    process.stderr.write(`${FAULTS} faults, ${counted}\n`)
  })
})

class TopUpRun {
  /** In pico-dollars, each another: so an amount says which payment it is. */
  readonly paid: bigint[] = []
  readonly poison = new Set<string>()
  readonly #cluster: KafkaCluster
  readonly #operations: Operations
  readonly #accounts: readonly string[]
  readonly #topic: BusTopic
  readonly #bus: KafkaBus
  readonly #arguments: readonly string[]
  readonly #ending = new AbortController()
  readonly #paying: Promise<void>
  #consumers: ChildProcess[] = []

  static async start(cluster: KafkaCluster): Promise<TopUpRun> {
    const { path } = await folderWithHistory()
    const { operations, close } = await openDataFolder(path)
    onTestFinished(() => close())
    const server = await startAdminServer({ operations, operatorToken: TOKEN })
    onTestFinished(() => server.close())
    const opening = Array.from({ length: ACCOUNTS }, (_, at) =>
      operations.openAccount({ name: `Account ${at}`, spend_policy: 'standard' }),
    )
    const accounts = (await Promise.all(opening)).map(({ account_id: id }) => id)
    const bus = new KafkaBus({ brokers: cluster.addresses, timer: systemTimer })
    onTestFinished(() => bus.close())
    const topic = await bus.open({ name: TOPIC, partitions: PARTITIONS })
    return new TopUpRun({ cluster, operations, accounts, topic, bus, url: server.baseUrl })
  }

  private constructor(ports: {
    readonly cluster: KafkaCluster
    readonly operations: Operations
    readonly accounts: readonly string[]
    readonly topic: BusTopic
    readonly bus: KafkaBus
    readonly url: string
  }) {
    this.#cluster = ports.cluster
    this.#operations = ports.operations
    this.#accounts = ports.accounts
    this.#topic = ports.topic
    this.#bus = ports.bus
    this.#arguments = [
      ...['--disable-warning=TimeoutNegativeWarning', PROGRAM, '--topic', TOPIC],
      ...['--brokers', ports.cluster.addresses.join(',')],
      ...['--url', ports.url, '--token', TOKEN],
    ]
    this.#consumers = [this.#startConsumer(), this.#startConsumer()]
    onTestFinished(() => {
      for (const consumer of this.#consumers) consumer.kill('SIGKILL')
    })
    this.#paying = this.#pay()
  }

  async breakOne(draw: Random): Promise<void> {
    const kinds = ['kill', 'kill', 'stop', 'kill broker', 'freeze broker'] as const
    const kind = draw.pick(FAULTS < FAULTS_WITH_FREEZES ? kinds : [...kinds, 'freeze', 'freeze'])
    const consumer = draw.pick(this.#consumers)
    const broker = draw.pick(this.#cluster.brokers)
    if (kind === 'kill') await this.#replace(consumer, 'SIGKILL')
    if (kind === 'stop') await this.#replace(consumer, 'SIGTERM')
    if (kind === 'freeze') {
      consumer.kill('SIGSTOP')
      await delay(LONGER_THAN_A_SESSION_MS)
      consumer.kill('SIGCONT')
    }
    if (kind === 'kill broker') {
      await broker.kill()
      await delay(draw.next() * 1_000)
      await broker.start()
    }
    if (kind === 'freeze broker') {
      await broker.freeze()
      await delay(500 + draw.next() * 3_000)
      await broker.thaw()
    }
    await this.#cluster.untilComplete()
  }

  /** Pays no more, and waits until all that was paid is granted or dead. */
  async finish(): Promise<void> {
    this.#ending.abort()
    await this.#paying
    const options = { timeout: STUCK_MS, interval: 500 }
    for (let granted = 0; granted < this.paid.length; ) {
      const before = granted
      const count = async () => {
        granted = new Set(await this.granted()).size
        return granted
      }
      await this.#orExplain(expect.poll(count, options).toBeGreaterThan(before))
    }
    const dead = async () => (await this.dead()).size
    await this.#orExplain(expect.poll(dead, options).toBe(this.poison.size))
    const ended = this.#consumers.map((consumer) => once(consumer, 'exit'))
    for (const consumer of this.#consumers) consumer.kill('SIGTERM')
    await Promise.all(ended)
  }

  /** The amounts that the ledger has granted, each as often as it has. */
  async granted(): Promise<readonly bigint[]> {
    const found: bigint[] = []
    const streams = new Set(this.#accounts.map(accountStream))
    for (let after: string | null = '-1'; after !== null; ) {
      const page = await this.#operations.listEvents({ type: 'CreditGranted', after, limit: 1_000 })
      for (const { stream, data } of page.events) {
        if (streams.has(stream)) found.push(BigInt((data as { amount: string }).amount))
      }
      after = page.next
    }
    return found.toSorted(byAmount)
  }

  async dead(): Promise<ReadonlySet<string>> {
    const letters = await this.#bus.open({ name: `${TOPIC}.dead`, partitions: 1 })
    const found = new Set<string>()
    try {
      await letters.read((records) => {
        for (const { headers } of records) found.add(headers.id ?? '')
      }, never)
    } finally {
      await letters.close()
    }
    return found
  }

  /** @throws as it does, after the consumers have said how they are */
  async #orExplain(waiting: Promise<unknown>): Promise<void> {
    try {
      await waiting
    } catch (error) {
      process.stderr.write(`${this.paid.length} payments, ${this.poison.size} poison were sent\n`)
      for (const consumer of this.#consumers) consumer.kill('SIGUSR2')
      await delay(EXPLAIN_MS)
      throw error
    }
  }

  async #pay(): Promise<void> {
    const draw = new Random(SEED + 1)
    const recent: BusRecord[] = []
    for (let round = 0; !this.#ending.signal.aborted; round += 1) {
      const records = Array.from({ length: 10 }, (_, at) => {
        const luck = draw.next()
        if (luck < 0.02) return this.#makePoison(`poison-${round}-${at}`, draw)
        if (luck < 0.07 && recent.length > 0) return draw.pick(recent)
        const payment = this.#makePayment(`pay-${round}-${at}`, draw)
        recent.push(payment)
        return payment
      })
      recent.splice(0, recent.length - 50)
      await this.#topic.deliver(records, never)
      await delay(80)
    }
  }

  #makePoison(id: string, draw: Random): BusRecord {
    this.poison.add(id)
    return { key: draw.pick(this.#accounts), value: draw.pick(POISON), headers: { id } }
  }

  #makePayment(reference: string, draw: Random): BusRecord {
    const account_id = draw.pick(this.#accounts)
    const paid = BigInt(this.paid.length + 1) * CENT
    this.paid.push(paid)
    const amount = formatExact(paid)
    const value = JSON.stringify({ account_id, amount, currency: 'USD', reference })
    return { key: account_id, value, headers: {} }
  }

  async #replace(consumer: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const ended = once(consumer, 'exit')
    consumer.kill(signal)
    await ended
    const others = this.#consumers.filter((other) => other !== consumer)
    this.#consumers = [...others, this.#startConsumer()]
  }

  #startConsumer(): ChildProcess {
    return spawn(process.execPath, this.#arguments, { stdio: ['ignore', 'ignore', 'inherit'] })
  }
}

function byAmount(one: bigint, other: bigint): number {
  return one < other ? -1 : Number(one > other)
}
