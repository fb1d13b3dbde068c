/**
 * A proof that finds nothing proves little. Here one proof, deliveries through requests and answers
 * that are lost and a broker that is frozen and killed, is held against the adapter, which must
 * pass, and against senders with planted faults, each of which must not.
 *
 * It takes a minute: with `SVC_KAFKA_PLANTED=on` only, as in CI and in
 * `npm run test:kafka`.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { BusRecord } from '@svc/contracts/ports/bus'
import { within } from '@svc/contracts/ports/within'
import { describeOnOwnKafka } from '@svc/testing/kafka/describe-on-kafka'
import { CLUSTER_START_MS_MAX, KafkaCluster } from '@svc/testing/kafka/kafka-cluster'
import { LossyProxy, PRODUCE } from '@svc/testing/kafka/lossy-proxy'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { systemTimer } from '../../system/system-timer.ts'
import { all, recordOf } from '../bus.suite.ts'
import { KafkaBus } from './kafka-bus.ts'
import { PlantedSender, plantedFaults, type Sender } from './testing/planted-senders.ts'

const DELIVERIES = 60
const RECORDS_EACH = 5
const BETWEEN_MS = 20
/**
 * How long the broker is frozen: longer than the request timeout of a planted sender, and shorter
 * than that of the adapter.
 */
const FROZEN_MS = 2_500
const DOWN_MS = 300
/** A sender that takes longer is stuck, which is a finding too: some wedge and never come back. */
const WHOLE_WITHIN_MS = 30_000
const never = new AbortController().signal

interface Verdict {
  readonly missing: number
  /** How many first copies came behind newer ones. */
  readonly reordered: number
  readonly isStuck: boolean
}

const isOn = process.env.SVC_KAFKA_PLANTED === 'on'
const describeProof = isOn ? describeOnOwnKafka : describe.skip

describeProof(`the proof of a sender${isOn ? '' : ' [SVC_KAFKA_PLANTED=on runs it]'}`, () => {
  let cluster: KafkaCluster
  let proxy: LossyProxy
  beforeAll(async () => {
    proxy = await LossyProxy.listen()
    cluster = await KafkaCluster.start({ advertised: [proxy.port] })
    proxy.forwardTo(broker().port)
  }, CLUSTER_START_MS_MAX)
  afterAll(async () => {
    await cluster.close()
    await proxy.close()
  })

  const broker = () => {
    const [only] = cluster.brokers
    if (only === undefined) throw new Error('there is no broker')
    return only
  }
  const address = () => `127.0.0.1:${proxy.port}`
  const newTopic = async () => {
    const bus = new KafkaBus({ brokers: [address()], timer: systemTimer })
    onTestFinished(() => bus.close())
    const name = `svc-test-${randomUUID()}`
    return { name, topic: await bus.open({ name, partitions: 1 }) }
  }

  test('finds nothing wrong with the adapter', async () => {
    const { topic } = await newTopic()
    const sender: Sender = {
      deliver: (records) => topic.deliver(records, never),
      settle: async () => {},
      close: () => topic.close(),
    }
    expect(await verdictOn(sender, () => all(topic))).toEqual({
      missing: 0,
      reordered: 0,
      isStuck: false,
    })
  })

  test.each(plantedFaults)('finds a sender that $words', async (planted) => {
    const { name, topic } = await newTopic()
    const sender = await PlantedSender.open(planted, name, address())
    const verdict = await verdictOn(sender, () => all(topic))
    process.stderr.write(`${planted.words}: ${JSON.stringify(verdict)}\n`)
    expect(verdict).not.toEqual({ missing: 0, reordered: 0, isStuck: false })
  })

  async function verdictOn(
    sender: Sender,
    read: () => Promise<readonly BusRecord[]>,
  ): Promise<Verdict> {
    const faults: Promise<void>[] = []
    const delivering = deliverUnderFaults(sender, faults).then(() => 'whole' as const)
    const outcome = await within(systemTimer, WHOLE_WITHIN_MS, delivering, 'stuck' as const)
    void sender.close().catch(() => {})
    await delivering
    await Promise.all(faults)
    // Senders that give up are done before the broker leads its topics again.
    const found = (await vi.waitFor(read, { timeout: WHOLE_WITHIN_MS })).map(({ value }) =>
      Number(value),
    )
    const firsts = [...new Set(found)]
    const missing = DELIVERIES * RECORDS_EACH - firsts.length
    const reordered = firsts.filter((value, at) => value < Math.max(...firsts.slice(0, at))).length
    return { missing, reordered, isStuck: outcome === 'stuck' }
  }

  /** Ends early when the sender is closed. @param faults what is done to the broker meanwhile */
  async function deliverUnderFaults(sender: Sender, faults: Promise<void>[]): Promise<void> {
    for (let at = 0; at < DELIVERIES; at += 1) {
      if (at === 10) proxy.next(PRODUCE, 'lose the request')
      if (at === 20) proxy.next(PRODUCE, 'lose the answer')
      if (at === 30) faults.push(frozenForAWhile())
      if (at === 45) faults.push(goneForAWhile())
      const first = at * RECORDS_EACH
      const records = Array.from({ length: RECORDS_EACH }, (_, n) => recordOf('a', `${first + n}`))
      await sender.deliver(records)
      await delay(BETWEEN_MS)
    }
    await sender.settle()
  }

  async function frozenForAWhile(): Promise<void> {
    await broker().freeze()
    await delay(FROZEN_MS)
    await broker().thaw()
  }

  async function goneForAWhile(): Promise<void> {
    await broker().kill()
    await delay(DOWN_MS)
    await broker().start()
  }
})
