/**
 * The roles apart, as processes on one store: two gateways without views, two projectors, a sweeper
 * and a Redis. What clients see of them together, when one is restarted, and when one is gone.
 *
 *     SVC_ROLLING_ROUNDS=20     every process is restarted so often, and beside those two real
 *                               workers and a relay whose Kafka is away
 *     SVC_ROLLING_RATE=200      requests a second meanwhile, instead of six clients
 *     SVC_REVOCATIONS=1000      keys that are revoked, and SVC_REVOCATIONS_WITHOUT_REDIS more
 *                               when Redis has died
 */
import { join } from 'node:path'
import { freePort } from '@svc/testing/free-port'
import { describeOnOwnRedis } from '@svc/testing/redis/describe-on-redis'
import { type RedisServer, startRedisServer } from '@svc/testing/redis/redis-server'
import { ScriptedWorker } from '@svc/testing/scripted-worker'
import { makeTemporaryFolder } from '@svc/testing/temporary-folder'
import { until } from '@svc/testing/until'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Restartable, RoleProcess, WorkerProcess } from './role-process.ts'
import { RollingLoad } from './rolling-load.ts'
import { newPrefix } from './server-story.ts'
import { type StoreUnderTest, startStoreUnderTest } from './store-under-test.ts'

/** Of a key: some ms, and up to a second on a busy machine. */
const REVOCATION_MS = 2_000
/** Each restarts every process once, under load. */
const ROUNDS = Number(process.env.SVC_ROLLING_ROUNDS ?? 1)
const REVOCATIONS = Number(process.env.SVC_REVOCATIONS ?? 5)
const REVOCATIONS_WITHOUT_REDIS = Number(process.env.SVC_REVOCATIONS_WITHOUT_REDIS ?? 1)
const TEST_MS_MAX =
  480_000 +
  60_000 * Number(process.env.SVC_ROLLING_ROUNDS ?? 0) +
  REVOCATION_MS * (REVOCATIONS + REVOCATIONS_WITHOUT_REDIS)
const RATE = Number(process.env.SVC_ROLLING_RATE ?? 0)
/** Also those that take long to start. */
const IS_WHOLE = process.env.SVC_ROLLING_ROUNDS !== undefined
/** Nobody listens there. */
const KAFKA_AWAY = '127.0.0.1:9'
const FEWEST_REQUESTS = 7
/** After it no request begins that is let through, however slow the machine is. */
const REVOKED_WITHIN_MS = 1_000
/** As the page about several gateways has it: the balancer of this test has other work, too. */
const NOTICE_MS = 3_000

const folder = makeTemporaryFolder()
let store: StoreUnderTest
let redis: RedisServer
let worker: ScriptedWorker
let realWorkers: readonly WorkerProcess[] = []
let relay: RoleProcess | undefined
let environment: Record<string, string>

let gateways: readonly [RoleProcess, RoleProcess]
let projectors: readonly [RoleProcess, RoleProcess]
let sweeper: RoleProcess
let apiKey: string
/** After its revocation the latest that a key was accepted. */
let longestMs = 0
let accountId: string

const roles = () => [...gateways, ...projectors, sweeper, ...(relay === undefined ? [] : [relay])]
const all = (): readonly Restartable[] => [...roles(), ...realWorkers]

async function startAll(): Promise<void> {
  store = await startStoreUnderTest(1)
  redis = await startRedisServer()
  const socketPath = join(folder.path, 'worker.sock')
  worker = new ScriptedWorker({ socketPath, script: { tokens: 8, delayMs: 2 } }, false)
  await worker.listen()
  environment = {
    EVENTSTORE_URL: store.url,
    SVC_EVENTSTORE_PREFIX: newPrefix(),
    SVC_VIEWS_SECRET: 'a secret of gateways and projectors',
    SVC_CONTENT_SECRET: 'a secret of all the gateways',
    REDIS_URL: redis.url,
    SVC_REQUEST_LOG: 'off',
  }
  const roleOf = async (role: string, name: string, more = {}) => {
    const [dataDir, port] = [join(folder.path, name), await freePort()]
    return new RoleProcess({ role, dataDir, port, environment: { ...environment, ...more } })
  }
  projectors = [await roleOf('projector', 'projector-1'), await roleOf('projector', 'projector-2')]
  if (IS_WHOLE) {
    realWorkers = ['one', 'two'].map((name) => new WorkerProcess(folder.path, name))
    relay = await roleOf('relay', 'relay', { KAFKA_BROKERS: KAFKA_AWAY })
  }
  const sockets = IS_WHOLE ? realWorkers.map((real) => real.socketPath) : [socketPath]
  const settings = {
    SVC_VIEWS_URL: projectors.map(({ url }) => url).join(','),
    SVC_WORKER_URLS: sockets.map((path) => `unix:${path}`).join(','),
    SVC_SHUTDOWN_NOTICE_MS: `${NOTICE_MS}`,
    // All clients of this test have one address, and many of their keys are revoked.
    SVC_MAX_BAD_KEYS: '1000000',
  }
  gateways = [
    await roleOf('gateway', 'gateway-1', settings),
    await roleOf('gateway', 'gateway-2', settings),
  ]
  sweeper = await roleOf('sweeper', 'sweeper')
  await Promise.all(realWorkers.map((real) => real.start()))
  const [first, ...others] = roles()
  await first?.start()
  await Promise.all(others.map((each) => each.start()))
  apiKey = gateways[0].ready?.apiKey ?? ''
  accountId = gateways[0].ready?.accountId ?? ''
}

async function stopAll(): Promise<void> {
  await Promise.all(all().map((each) => each.kill()))
  await Promise.all([worker.close(), redis.close(), store.stop()])
  folder.remove()
}

function get({ url }: RoleProcess, path: string, key = apiKey): Promise<Response> {
  return fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } })
}

function post({ url }: RoleProcess, path: string, body: object, headers = {}): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${apiKey}`,
      ...headers,
    },
    body: JSON.stringify({ model: 'svc-beta', ...body }),
  })
}

/** One gateway revokes a key that the other one knows. */
async function revokeOne(): Promise<void> {
  const [{ operations }, other] = gateways
  const key = { name: 'revoked soon', expires_at: null, external_id: null, metadata: {} }
  const { key_id, secret } = await operations.createKey({ account_id: accountId, ...key })
  // A question that reads nothing of the account: what reads it would bring the news itself.
  const status = async () => (await get(other, '/v1/models', secret ?? '')).status
  expect(await status()).toBe(200)
  await operations.revokeKey({ key_id, account_id: accountId, reason: 'a test' })
  const revokedMs = performance.now()
  let acceptedMs = 0
  await until(async () => {
    const askedMs = performance.now() - revokedMs
    const answered = await status()
    if (answered === 200) acceptedMs = askedMs
    return answered === 401
  })
  expect(acceptedMs).toBeLessThan(REVOKED_WITHIN_MS)
  longestMs = Math.max(longestMs, acceptedMs)
}

const question = { messages: [{ role: 'user', content: 'What is it?' }], max_tokens: 8 }
const chat = (gateway: RoleProcess, headers = {}) =>
  post(gateway, '/v1/chat/completions', question, headers)

async function restartAll(load: RollingLoad): Promise<void> {
  for (const each of all()) {
    await each.stop()
    await each.start()
    await until(() => each.isReady()).catch(async (error: unknown) => {
      throw new Error(`${await each.describe()}\n${load.summary}`, { cause: error })
    })
    await until(() => gateways.every((gateway) => load.isInTurn(gateway)))
    await until(haveAllWorkers)
  }
}

/** A worker that is up again serves when a gateway has seen it: the next may not stop before. */
async function haveAllWorkers(): Promise<boolean> {
  const seen = await Promise.all(gateways.map(({ operations }) => operations.listWorkers()))
  return seen.flat().every(({ status }) => status === 'ready')
}

describeOnOwnRedis('roles apart', () => {
  beforeAll(startAll, TEST_MS_MAX)
  afterAll(stopAll)

  test('every process is alive and ready, and a gateway without views shows them all the same', async () => {
    for (const each of roles()) {
      expect((await fetch(`${each.url}/livez`)).status).toBe(200)
      await until(() => each.isReady())
    }
    const [gateway, other] = gateways
    const answer = await chat(gateway)
    expect(answer.status).toBe(200)
    const id = answer.headers.get('x-request-id')
    // What the caller did a moment ago is in the answer, though another process keeps the views.
    const receipt = await get(gateway, `/v1/requests/${id}`)
    expect(await receipt.json()).toMatchObject({ id, status: 'finished' })
    const usage = await get(gateway, '/v1/usage')
    expect(await usage.json()).toMatchObject({ total: { requests: 1 } })
    const file = await get(gateway, '/v1/exports/statement?as=csv')
    expect(file.headers.get('content-type')).toContain('text/csv')
    expect(file.headers.get('content-disposition')).toContain('statement-')
    expect(await file.text()).toContain(id)
    expect((await get(other, '/v1/requests/req_none')).status).toBe(404)
    expect((await get(other, '/v1/usage?of=nobody')).status).toBe(400)
    expect((await fetch(`${other.url}/evidence/checkpoint`)).status).toBe(200)
    expect((await get(other, '/v1/usage', 'sk-svc-wrong')).status).toBe(401)
    await expect(gateway.operations.listAccounts({ limit: 1 })).rejects.toThrow('SVC_VIEWS_URL')
  })

  test('a gateway without views tells of its store and its workers all the same', async () => {
    const [{ operations }] = gateways
    expect(await operations.status()).toMatchObject({
      mode: 'running',
      store: { kind: 'eventstoredb', position: expect.stringMatching(/^\d+$/), problems: [] },
      workers: [{ status: 'ready' }],
      projections: [],
      accounts: null,
      open_requests: null,
      overdue_holds: null,
    })
  })

  test('a projector takes nobody’s word for a caller, and no request for inference', async () => {
    const [projector] = projectors
    const told = { 'svc-caller': 'acct_1/key_1' }
    for (const headers of [told, { ...told, authorization: 'Bearer a secret of somebody else' }]) {
      expect((await fetch(`${projector.url}/v1/usage`, { headers })).status).toBe(401)
      expect((await fetch(`${projector.url}/views/v1/running?limit=1`, { headers })).status).toBe(
        401,
      )
    }
    expect((await chat(projector)).status).toBe(404)
    expect((await chat(sweeper)).status).toBe(404)
  })

  test('a retry and the next turn of a conversation are at home on every gateway', async () => {
    const [gateway, other] = gateways
    const key = { 'idempotency-key': 'asked once' }
    // The other one knows the account, as it was before.
    await chat(other)
    const first = await chat(gateway, key)
    const again = await chat(other, key)
    expect(again.headers.get('x-request-id')).toBe(first.headers.get('x-request-id'))
    expect(await again.text()).toBe(await first.text())
    const input = { input: 'Hello', max_output_tokens: 8 }
    const begun = (await (await post(gateway, '/v1/responses', input)).json()) as { id: string }
    const next = { ...input, previous_response_id: begun.id }
    expect((await post(other, '/v1/responses', next)).status).toBe(200)
    const headers = { authorization: `Bearer ${apiKey}` }
    const url = `${other.url}/v1/responses/${begun.id}`
    expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(200)
    expect((await get(gateway, `/v1/responses/${begun.id}`)).status).toBe(404)
  })

  test(
    `a revoked key is refused by the other gateway within ${REVOKED_WITHIN_MS} ms`,
    async () => {
      for (let count = 0; count < REVOCATIONS; count += 1) await revokeOne()
      process.stdout.write(`${REVOCATIONS} keys, accepted up to ${longestMs.toFixed()} ms later\n`)
    },
    TEST_MS_MAX,
  )

  test(
    `no request fails while every process is restarted in turn (${ROUNDS} rounds)`,
    async () => {
      const asks = [
        (gateway: RoleProcess) => chat(gateway),
        (gateway: RoleProcess) => get(gateway, '/v1/usage'),
        (gateway: RoleProcess) => get(gateway, '/v1/balance'),
      ]
      const load = new RollingLoad({ gateways, asks, rate: RATE })
      try {
        for (let round = 0; round < ROUNDS; round += 1) await restartAll(load)
      } finally {
        await load.end()
      }
      const { failures, answered, summary } = load
      if (IS_WHOLE) process.stdout.write(`${summary}\n`)
      expect(failures).toEqual([])
      expect(answered).toBeGreaterThan(FEWEST_REQUESTS)
    },
    TEST_MS_MAX,
  )

  test('without projectors only questions about views are refused', async () => {
    const [gateway] = gateways
    await Promise.all(projectors.map((each) => each.kill()))
    const refused = await get(gateway, '/v1/usage')
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(await refused.text()).toContain('requests are answered as before')
    expect((await chat(gateway)).status).toBe(200)
    expect((await get(gateway, '/v1/balance')).status).toBe(200)
    expect(await gateway.isReady()).toBe(true)
    await projectors[1].start()
    await until(async () => (await get(gateway, '/v1/usage')).status === 200)
  })

  test('without Redis every request is answered, keys are revoked, and no key is billed twice', {
    timeout: TEST_MS_MAX,
  }, async () => {
    const [gateway, other] = gateways
    const key = { 'idempotency-key': 'asked before Redis died' }
    const first = await chat(gateway, key)
    expect(first.status).toBe(200)
    await redis.kill()
    expect((await chat(other)).status).toBe(200)
    // Its own gateway has a copy; the other one knows the debit and not the answer.
    expect(await (await chat(gateway, key)).text()).toBe(await first.text())
    const gone = await chat(other, key)
    expect(gone.status).toBe(409)
    expect(await gone.text()).toContain(first.headers.get('x-request-id'))
    for (let count = 0; count < REVOCATIONS_WITHOUT_REDIS; count += 1) await revokeOne()
    const ever = longestMs.toFixed()
    process.stdout.write(`${REVOCATIONS_WITHOUT_REDIS} more without Redis, at most ${ever} ms\n`)
  })
})
