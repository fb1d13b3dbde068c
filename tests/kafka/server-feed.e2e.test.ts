/** The real server beside a real Kafka: fed, broken, healed. */
import { join } from 'node:path'
import type { Operations } from '@svc/contracts/admin/operations'
import { describeOnOwnKafka } from '@svc/testing/kafka/describe-on-kafka'
import { CLUSTER_START_MS_MAX, KafkaCluster } from '@svc/testing/kafka/kafka-cluster'
import { startRunningServer } from '@svc/testing/running-server'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { withoutModel } from '@svc/testing/without-model'
import { afterAll, beforeAll, expect, test } from 'vitest'

const question = { messages: [{ role: 'user', content: 'Hello!' }], max_tokens: 4 }

describeOnOwnKafka('a server beside Kafka', () => {
  let cluster: KafkaCluster
  beforeAll(async () => {
    cluster = await KafkaCluster.start()
  }, CLUSTER_START_MS_MAX)
  afterAll(() => cluster.close())

  const broker = () => {
    const [only] = cluster.brokers
    if (only === undefined) throw new Error('there is no broker')
    return only
  }

  test('sends every event, serves while Kafka is down, and heals a topic that was lost', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    const environment = { ...(await withoutModel()), KAFKA_BROKERS: cluster.addresses.join(',') }
    const first = await startRunningServer(environment, dataDir)
    expect((await first.chat(question)).status).toBe(200)
    await caughtUp(first.operations)
    const whole = await check(first.operations)
    expect(whole).toMatchObject({ topic: 'svc.ledger', findings: [] })
    expect(whole.events).toBeGreaterThan(5)

    await broker().kill()
    expect((await first.chat(question)).status).toBe(200)
    await expect.poll(() => problemsOf(first.operations)).toHaveLength(1)
    await broker().start()
    await caughtUp(first.operations)
    expect(await problemsOf(first.operations)).toEqual([])
    expect(await check(first.operations)).toMatchObject({ findings: [] })
    expect(await first.process.stop()).toEqual({ code: 0, signal: null })

    await broker().kill()
    await broker().wipe()
    await broker().start()
    const second = await startRunningServer(environment, dataDir)
    await caughtUp(second.operations)
    await expect
      .poll(() => problemsOf(second.operations))
      .toEqual([expect.stringContaining('lost records')])
    const { findings } = await check(second.operations)
    const account = findings.find(({ key }) => key === second.ready.accountId)
    expect(account).toMatchObject({ last_hash: 'holds' })
    expect(account?.missing).toBeGreaterThan(5)
    const positions = findings.map(({ first_missing: at }) => Number(at))
    const from = `${Math.min(...positions)}`
    for await (const line of second.operations.resendFeed({ from })) {
      if (line.type === 'result') expect(line.events).toBeGreaterThan(5)
    }
    expect(await check(second.operations)).toMatchObject({ findings: [] })
    expect(await problemsOf(second.operations)).toEqual([])
  })
})

async function caughtUp(operations: Operations): Promise<void> {
  await expect.poll(async () => (await operations.status()).feed?.lag).toBe('0')
}

async function problemsOf(operations: Operations): Promise<readonly string[]> {
  return (await operations.status()).feed?.problems ?? []
}

async function check(operations: Operations) {
  for await (const line of operations.checkFeed()) if (line.type === 'result') return line
  throw new Error('the check came to no result')
}
