/** The files of `infra/compose`, started as their first lines say, with images that are there. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { freePorts } from '@svc/testing/free-port'
import { type Checks, eventually } from './checks.ts'
import type { Composed, Engine } from './engine.ts'
import { type Companions, SVC_IMAGE } from './images.ts'
import { keyIn, Served } from './served.ts'

const PROJECT = `svc-compose-test-${process.pid}`
/** Redis and Kafka have been away. */
const CAUGHT_UP_MS = 120_000
/** As docs/how-to/run-in-containers-or-systemd.md says it, of the only backup. */
const RESTORE =
  'cd /data && mkdir -m 700 before && mv $(ls -A | grep -vxE "backups|before") before && cp -a backups/*/. . && svc verify'
const secret = () => randomBytes(24).toString('hex')

/** `svc.yaml`: one machine. */
export async function tryOneMachine(engine: Engine, checks: Checks): Promise<void> {
  const [port = 0] = await freePorts(1)
  const settings = { SVC_IMAGE, SVC_PUBLISHED_PORT: `${port}` }
  const service = engine.compose('infra/compose/svc.yaml', PROJECT, settings)
  const served = new Served(port)
  const logs = () => service.run('logs', 'svc').output
  try {
    await checks.check('svc.yaml starts, answers and debits', async () => {
      service.must('up', '-d')
      await served.untilReady(logs)
      served.key = keyIn(logs())
      await served.paidAnswer()
    })
    await checks.check('a restart of svc.yaml keeps everything', async () => {
      const before = await served.balance()
      service.must('restart', 'svc')
      await served.untilReady(logs)
      assert.equal(await served.balance(), before)
      assert.match(service.must('exec', '-T', 'svc', 'svc', 'verify'), /verified/)
    })
    await checks.check('a backup takes the place of the data of svc.yaml', async () => {
      const before = await served.balance()
      service.must('exec', '-T', 'svc', 'svc', 'backup')
      await served.paidAnswer()
      assert.notEqual(await served.balance(), before)
      service.must('stop', 'svc')
      assert.match(
        service.must('run', '--rm', '--no-deps', '--entrypoint', 'sh', 'svc', '-c', RESTORE),
        /verified/,
      )
      service.must('start', 'svc')
      await served.untilReady(logs)
      assert.equal(await served.balance(), before)
    })
  } finally {
    service.run('down', '-v')
  }
}

/** `cluster.yaml`: gateways, a worker, EventStoreDB, Redis and Kafka. */
export async function tryCluster(
  engine: Engine,
  checks: Checks,
  images: Companions,
): Promise<void> {
  const [first = 0, second = 0] = await freePorts(2)
  const cluster = engine.compose('infra/compose/cluster.yaml', PROJECT, {
    SVC_IMAGE,
    SVC_REDIS_IMAGE: images.redis,
    SVC_KAFKA_IMAGE: images.kafka,
    SVC_EVENTSTOREDB_IMAGE: images.eventStoreDb,
    SVC_PUBLISHED_PORT_1: `${first}`,
    SVC_PUBLISHED_PORT_2: `${second}`,
    SVC_WORKER_SECRET: secret(),
    SVC_CONTENT_SECRET: secret(),
    SVC_CACHE_SECRET: secret(),
  })
  try {
    await runCluster(cluster, checks, [new Served(first), new Served(second)])
  } finally {
    cluster.run('down', '-v')
  }
}

async function runCluster(
  cluster: Composed,
  checks: Checks,
  [one, other]: readonly [Served, Served],
): Promise<void> {
  const logsOf = (service: string) => () => cluster.run('logs', service).output
  const svc = (...words: string[]) => cluster.must('exec', '-T', 'gateway-1', 'svc', ...words)
  const isStarted = await checks.check('cluster.yaml starts, and both gateways serve', async () => {
    cluster.must('up', '-d')
    await one.untilReady(logsOf('gateway-1'))
    await other.untilReady(logsOf('gateway-2'))
    const key = keyIn(logsOf('gateway-1')() + logsOf('gateway-2')())
    one.key = key
    other.key = key
  })
  if (!isStarted) return
  await checks.check('a retry at the other gateway is the same answer, and one bill', async () => {
    const headers = { 'idempotency-key': 'one-order' }
    const told = await one.paidAnswer(headers)
    const before = await one.balance()
    assert.deepEqual(await other.paidAnswer(headers), told)
    assert.equal(await other.balance(), before)
  })
  await checks.check('a conversation goes on at the other gateway', async () => {
    await other.response('And its river?', await one.response('The capital of France?'))
  })
  await checks.check('svc doctor finds no problem in the cluster', async () => {
    // Gateways are ready without Kafka, which starts beside them: their feed finds it later.
    await eventually(CAUGHT_UP_MS, () => assert.doesNotMatch(svc('doctor'), /PROBLEM/))
  })
  await checks.check('without Redis and Kafka both gateways answer and debit', async () => {
    cluster.must('stop', 'redis', 'kafka')
    await one.paidAnswer()
    await other.paidAnswer()
    assert.equal(await one.balance(), await other.balance())
    cluster.must('start', 'redis', 'kafka')
  })
  await checks.check('every event comes into the topic, and the ledger verifies', async () => {
    await eventually(CAUGHT_UP_MS, () => assert.match(svc('feed', 'check'), /every event is there/))
    assert.match(svc('verify'), /verified/)
  })
}
