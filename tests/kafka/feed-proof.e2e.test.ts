/**
 * Kills and freezes brokers and the relay under load, and then compares the topic with the log:
 * every event at least once, in the order of its account, and the totals equal.
 *
 * `SVC_KAFKA_FAULTS` sets how many faults, `SVC_KAFKA_BROKERS` on how many brokers,
 * `SVC_KAFKA_SEED` which ones.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { DELIVERY_RECORDS_MAX } from '@svc/contracts/ports/bus'
import { KafkaBus } from '@svc/infra/bus/kafka/kafka-bus'
import { systemTimer } from '@svc/infra/system/system-timer'
import { checkFeed } from '@svc/relay/feed-check'
import { describeOnOwnKafka } from '@svc/testing/kafka/describe-on-kafka'
import { CLUSTER_START_MS_MAX, KafkaCluster } from '@svc/testing/kafka/kafka-cluster'
import { Random } from '@svc/testing/random'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { MadeLog, totalsOf } from './made-log.ts'

const PROGRAM = fileURLToPath(new URL('relay-program.ts', import.meta.url))
const FAULTS = Number(process.env.SVC_KAFKA_FAULTS ?? 6)
const BROKERS = Number(process.env.SVC_KAFKA_BROKERS ?? 1)
const SEED = Number(process.env.SVC_KAFKA_SEED ?? Date.now() % 1_000_000)
const RATE = 500
const PARTITIONS = 4
/** Of a partition under way: what a new producer may send a second time. */
const BATCH_RECORDS_MAX = 500
/** Longer than any pause of the relay. */
const CAUGHT_UP_MS = 120_000
const FAULT_MS = 15_000
const never = new AbortController().signal

describeOnOwnKafka(`the feed on ${BROKERS} brokers that fail (seed ${SEED})`, () => {
  let cluster: KafkaCluster
  beforeAll(async () => {
    cluster = await KafkaCluster.start({ brokers: BROKERS })
  }, CLUSTER_START_MS_MAX)
  afterAll(() => cluster.close())

  test(`has every event in order after ${FAULTS} kills and freezes`, {
    timeout: CAUGHT_UP_MS + FAULTS * FAULT_MS,
  }, async () => {
    const run = new RelayRun(cluster, 'svc-proof')
    const draw = new Random(SEED)
    let doubledMax = 0
    for (let fault = 0; fault < FAULTS; fault += 1) {
      await delay(200 + draw.next() * 800)
      doubledMax += await breakOne(run, draw)
    }
    const found = await run.finish()
    expect(found).toMatchObject({ missing: 0, late: 0, hashes: 'hold' })
    expect(found.totals).toEqual(totalsOf(run.size))
    expect(found.doubled).toBeLessThanOrEqual(doubledMax)
    process.stderr.write(`${FAULTS} faults, ${run.size} events, ${found.doubled} doubled\n`)
  })

  /** @returns how many records may be there twice for that */
  async function breakOne(run: RelayRun, draw: Random): Promise<number> {
    const broker = cluster.brokers[draw.integer(BROKERS)]
    const kind = draw.integer(3)
    if (kind === 0) await run.restart()
    if (kind === 1) {
      await broker?.kill()
      await delay(draw.next() * 1_000)
      await broker?.start()
    }
    if (kind === 2) {
      await broker?.freeze()
      await delay(500 + draw.next() * 3_000)
      await broker?.thaw()
    }
    await cluster.untilComplete()
    return kind === 0 ? DELIVERY_RECORDS_MAX : BATCH_RECORDS_MAX * PARTITIONS
  }
})

class RelayRun {
  size = 0
  readonly #cluster: KafkaCluster
  readonly #topic: string
  readonly #folder = temporaryFolder()
  readonly #arguments: readonly string[]
  readonly #startedMs: number
  #process: ChildProcess

  constructor(cluster: KafkaCluster, topic: string) {
    this.#cluster = cluster
    this.#topic = topic
    this.#startedMs = Date.now()
    this.#arguments = [
      ...['--disable-warning=TimeoutNegativeWarning', PROGRAM],
      ...['--brokers', cluster.addresses.join(','), '--topic', topic, '--folder', this.#folder],
      ...['--rate', `${RATE}`, '--since', `${this.#startedMs}`],
    ]
    this.#process = this.#start()
    onTestFinished(() => void this.#process.kill('SIGKILL'))
  }

  async restart(): Promise<void> {
    const ended = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await ended
    this.#process = this.#start()
  }

  /** Ends the log, waits for the relay, and compares. */
  async finish() {
    this.size = Math.floor(((Date.now() - this.#startedMs) * RATE) / 1_000)
    const ended = once(this.#process, 'exit')
    writeFileSync(`${this.#folder}/end`, `${this.size}`)
    await ended
    const bus = new KafkaBus({ brokers: this.#cluster.addresses, timer: systemTimer })
    const topic = await bus.open({ name: this.#topic, partitions: PARTITIONS })
    const { findings, late, doubled } = await checkFeed(
      { store: new MadeLog(() => this.size), topic, pace: { step: async (work) => work() } },
      { upTo: BigInt(this.size - 1), signal: never },
    )
    const [known, totals] = [new Set<string>(), new Map<string, bigint>()]
    await topic.read((records) => {
      for (const { key, value, headers } of records) {
        if (known.has(headers.id ?? '')) continue
        known.add(headers.id ?? '')
        totals.set(key, (totals.get(key) ?? 0n) + BigInt(JSON.parse(value).amount))
      }
    }, never)
    await bus.close()
    const missing = findings.reduce((sum, finding) => sum + finding.missing, 0)
    const hashes = findings.some(({ isHashWrong }) => isHashWrong) ? 'differ' : 'hold'
    return { missing, late, doubled, hashes, totals }
  }

  #start(): ChildProcess {
    return spawn(process.execPath, this.#arguments, { stdio: ['ignore', 'ignore', 'inherit'] })
  }
}
