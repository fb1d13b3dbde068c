/**
 * Whole servers with their events on EventStoreDB: what an operator and a client meet from the
 * first start on, with the store going away in between.
 */

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '@svc/testing/eventually'
import { startRunningServer } from '@svc/testing/running-server'
import { ScriptedWorker } from '@svc/testing/scripted-worker'
import { ServerProcess } from '@svc/testing/server-process'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { verified } from '@svc/testing/verified'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import {
  copyOlder,
  EXIT_UNREACHABLE,
  expectToldOfStoreAway,
  get,
  newPrefix,
  pay,
  runCli,
} from './server-story.ts'
import {
  isBreakable,
  isFreezable,
  type StoreUnderTest,
  startStoreUnderTest,
} from './store-under-test.ts'

const SEED = 1
const EXIT_DIFFERENCE = 1
const EXIT_USAGE = 2
const EXIT_NOT_FOUND = 3
const EXIT_CONFLICT = 5
const SETTLED_WITHIN_MS = 30_000
/** How long a start waits for its store. */
const READY_MS = 30_000
/** By then, also on a busy machine, the program is loaded and waits for the store. */
const STOP_AFTER_MS = 10_000
/** By then a request has sent what the store does not confirm. */
const HELD_MS = 1_000
/** A stop that waits for the store takes more than half a minute. */
const STOPPED_WITHIN_MS = 15_000

let store: StoreUnderTest
let worker: ScriptedWorker
let folder: string

beforeAll(async () => {
  store = await startStoreUnderTest(SEED)
  folder = mkdtempSync(join(tmpdir(), 'svc-story-'))
  const socketPath = join(folder, 'worker.sock')
  worker = new ScriptedWorker({ socketPath }, false)
  await worker.listen()
})
afterAll(async () => {
  await worker.close()
  rmSync(folder, { recursive: true })
  await store.stop()
})

/** Streams of a test's own, and a worker that needs no time to start. */
function settings(): Record<string, string> {
  return {
    EVENTSTORE_URL: store.url,
    SVC_EVENTSTORE_PREFIX: newPrefix(),
    SVC_WORKER_URLS: `unix:${join(folder, 'worker.sock')}`,
  }
}

const newFolder = () => join(temporaryFolder(), 'data')

test('from the first start to the second, with the model', async () => {
  const { SVC_WORKER_URLS, ...environment } = settings()
  const dataDir = newFolder()
  const first = await startRunningServer(environment, dataDir)
  const { apiKey, accountId, baseUrl } = first.ready
  expect(apiKey).toMatch(/^sk-svc-/)
  const requestId = await pay(first.ready.baseUrl, apiKey)

  const receipt = await get(`${baseUrl}/v1/requests/${requestId}`, apiKey)
  expect(receipt).toMatchObject({ id: requestId, status: 'finished' })
  const balance = await get(`${baseUrl}/v1/balance`, apiKey)
  const page = { account_id: accountId, limit: 100 }
  const statement = await first.operations.statement(page)
  expect(statement.rows.map(({ type }) => type)).toEqual(['grant', 'usage'])
  expect(balance).toMatchObject({ settled: statement.closing, held: '0.00' })
  // Views commit some milliseconds after the event: each of them arrives at the log's position.
  await eventually(async () => {
    const { store: log, accounts, projections } = await first.operations.status()
    expect([log.kind, accounts]).toEqual(['eventstoredb', 1])
    expect(projections.map(({ position }) => position)).toEqual(projections.map(() => log.position))
  })
  expect(existsSync(join(dataDir, 'ledger.db'))).toBe(false)

  const running = await runCli(['verify', '--data-dir', dataDir])
  expect(running).toMatchObject({ code: 0, err: expect.stringContaining('talking to the running') })
  expect(await first.process.stop()).toEqual({ code: 0, signal: null })
  const stopped = await runCli(['verify', '--data-dir', dataDir], environment)
  // The verification on the server left an event, and the stop a checkpoint that covers it.
  const verifiedEvents = ({ out }: { readonly out: string }) =>
    Number(/^verified: (\d+) events/.exec(out)?.[1])
  expect([stopped.code, verifiedEvents(stopped)]).toEqual([0, verifiedEvents(running) + 2])
  expect(stopped.err).toContain(`streams ${environment.SVC_EVENTSTORE_PREFIX}*`)
  const away = await runCli(['verify', '--data-dir', dataDir])
  expect([away.code, away.err]).toEqual([
    EXIT_NOT_FOUND,
    expect.stringContaining('name that in EVENTSTORE_URL'),
  ])

  rmSync(join(dataDir, 'views'), { recursive: true })
  const second = await startRunningServer(environment, dataDir)
  expect(second.ready).toMatchObject({ accountId })
  expect(second.ready.apiKey).toBeUndefined()
  expect(await get(`${second.ready.baseUrl}/v1/balance`, apiKey)).toEqual(balance)
  // The log is longer by what the verification and the stop left.
  const { position } = statement
  expect({ ...(await second.operations.statement(page)), position }).toEqual(statement)
  await pay(second.ready.baseUrl, apiKey)
  expect((await verified(second.operations)).broken).toEqual([])
  expect(second.process.stderr).toBe('')
  expect(await second.process.stop()).toEqual({ code: 0, signal: null })
})

test('a second gateway is given no demo account, and serves the same customers', async () => {
  const environment = settings()
  const first = await startRunningServer(environment)
  const second = await startRunningServer(environment)
  const { apiKey, accountId } = first.ready
  expect(second.ready).toMatchObject({ accountId })
  expect(second.ready.apiKey).toBeUndefined()
  await pay(second.ready.baseUrl, apiKey)
  const balances = [first, second].map(({ ready }) => get(`${ready.baseUrl}/v1/balance`, apiKey))
  expect(
    new Set((await Promise.all(balances)).map((balance) => JSON.stringify(balance))).size,
  ).toBe(1)
  const account = { account_id: accountId }
  const { key_id = '' } = (await first.operations.listKeys(account))[0] ?? {}
  await first.operations.revokeKey({ ...account, key_id, reason: 'lost' })
  const refused = await second.chat({ messages: [{ role: 'user', content: 'And now?' }] })
  expect(refused.status).toBe(401)
})

test('gateways that start at the same moment on an empty log make one demo account', async () => {
  const environment = settings()
  const servers = await Promise.all([1, 2].map(() => startRunningServer(environment)))
  expect(servers.filter(({ ready }) => ready.apiKey !== undefined)).toHaveLength(1)
  for (const { operations } of servers)
    expect(await operations.listAccounts({ limit: 10 })).toHaveLength(1)
})

test('another prefix is another ledger, also for a folder that was used before', async () => {
  const dataDir = newFolder()
  const one = await startRunningServer(settings(), dataDir)
  await pay(one.ready.baseUrl, one.ready.apiKey)
  await one.process.stop()

  const environment = settings()
  const other = await startRunningServer(environment)
  expect(other.ready.apiKey).toMatch(/^sk-svc-/)
  const { events: listed } = await other.operations.listEvents({ limit: 1_000 })
  expect((await verified(other.operations)).events).toBe(listed.length)
  expect(new Set(listed.map(({ stream }) => stream))).toEqual(
    new Set(['pricing', 'users', `account-${other.ready.accountId}`]),
  )
  await other.process.stop()

  const refused = new ServerProcess(dataDir, environment)
  onTestFinished(() => refused.kill('SIGKILL'))
  expect(await refused.exited).toEqual({ code: EXIT_UNREACHABLE, signal: null })
  const difference = `SVC_EVENTSTORE_PREFIX is ${environment.SVC_EVENTSTORE_PREFIX} and was `
  expect(refused.stderr).toContain(difference)
  const views = readdirSync(join(dataDir, 'views'))
  const cli = await runCli(['account', 'list', '--data-dir', dataDir], environment)
  expect(cli).toMatchObject({ code: EXIT_UNREACHABLE, err: expect.stringContaining(difference) })
  expect(readdirSync(join(dataDir, 'views'))).toEqual(views)

  const warned = { ...environment, SVC_LOG_LEVEL: 'warn' }
  const moved = await startRunningServer(warned, dataDir, ['--accept-new-store'])
  expect(moved.process.stderr).toContain('was used with another event log')
  expect(moved.ready).toMatchObject({ accountId: other.ready.accountId })
  const accounts = await moved.operations.listAccounts({ limit: 10 })
  expect(accounts.map(({ account_id: accountId }) => accountId)).toEqual([other.ready.accountId])
  const { baseUrl } = moved.ready
  await expect(get(`${baseUrl}/v1/balance`, one.ready.apiKey)).rejects.toThrow('401')
})

test('one data folder has one server, and the CLI waits for nobody', async () => {
  const environment = settings()
  const dataDir = newFolder()
  const server = await startRunningServer(environment, dataDir)
  const second = new ServerProcess(dataDir, environment)
  onTestFinished(() => second.kill('SIGKILL'))
  expect(await second.exited).toEqual({ code: EXIT_CONFLICT, signal: null })
  expect(second.stderr).toMatch(/in use by another process/)
  server.process.kill('SIGKILL')
  await server.process.exited
  const status = await runCli(['--json', 'status', '--data-dir', dataDir], environment)
  expect(JSON.parse(status.out)).toMatchObject({ mode: 'stopped', store: { kind: 'eventstoredb' } })
})

test('what a killed server left open its next start ends, long before the deadline', async () => {
  const environment = settings()
  const dataDir = newFolder()
  const killed = await startRunningServer(
    { ...environment, SVC_CRASH_POINT: 'generate.first-token:1' },
    dataDir,
  )
  await killed.chat({ messages: [{ role: 'user', content: 'Hi' }] }).catch(() => {})
  await killed.process.exited
  const next = await startRunningServer(environment, dataDir)
  const { accountId } = next.ready
  await expect
    .poll(
      async () => (await next.operations.showAccount({ account_id: accountId })).open_requests,
      {
        timeout: SETTLED_WITHIN_MS,
      },
    )
    .toBe(0)
  const { events } = await next.operations.listEvents({ limit: 100 })
  expect(events.at(-1)).toMatchObject({
    type: 'RequestAbandoned',
    data: { reason: 'gateway_gone' },
  })
})

test('a store that nobody finds ends a start in time, and no message shows the password', async () => {
  const environment = {
    EVENTSTORE_URL: 'esdb://admin:changeit@127.0.0.1:1?tls=false',
    SVC_EVENTSTORE_READY_MS: '500',
  }
  const dataDir = newFolder()
  const server = new ServerProcess(dataDir, environment)
  onTestFinished(() => server.kill('SIGKILL'))
  expect(await server.exited).toEqual({ code: EXIT_UNREACHABLE, signal: null })
  expect(server.stderr.trim().split('\n')).toHaveLength(1)
  expect(server.stderr).toContain('127.0.0.1:1')
  const cli = await runCli(['status', '--data-dir', dataDir], environment)
  expect(cli.code).toBe(EXIT_UNREACHABLE)
  expect(server.stderr + cli.err + cli.out).not.toContain('changeit')
  expect(existsSync(dataDir)).toBe(false)
})

test.each(['esdb://admin:changeit@host:99999', 'http://admin:changeit@host'])(
  'an address that cannot be used is a usage error: %s',
  async (url) => {
    const cli = await runCli(['status', '--data-dir', newFolder()], { EVENTSTORE_URL: url })
    expect(cli).toMatchObject({ code: EXIT_USAGE, out: '' })
    expect(cli.err.trim().split('\n')).toHaveLength(1)
    expect(cli.err).not.toContain('changeit')
  },
)

test('an older copy of the log is refused, and the message says what to do', async () => {
  const whole = settings()
  const dataDir = newFolder()
  const first = await startRunningServer(whole, dataDir)
  const requestId = await pay(first.ready.baseUrl, first.ready.apiKey)
  // Each of these waits for its view: all of them have seen the last event then.
  await first.operations.explain({ request_id: requestId })
  await first.operations.statement({ account_id: first.ready.accountId, limit: 1 })
  await first.process.stop()
  const environment = settings()
  await copyOlder(store.url, whole.SVC_EVENTSTORE_PREFIX, environment.SVC_EVENTSTORE_PREFIX)
  const refused = new ServerProcess(dataDir, environment)
  onTestFinished(() => refused.kill('SIGKILL'))
  expect(await refused.exited).toEqual({ code: EXIT_UNREACHABLE, signal: null })
  expect(refused.stderr).toMatch(/older copy.*If a backup was restored there.*--accept-new-store/)

  const restored = await startRunningServer(environment, dataDir, ['--accept-new-store'])
  expect(restored.ready).toMatchObject({ accountId: first.ready.accountId })
  expect(await restored.operations.listAccounts({ limit: 10 })).toHaveLength(1)
})

test('nothing of a folder accuses an older copy of the log that was accepted', async () => {
  const whole = settings()
  const dataDir = newFolder()
  const { operations, process } = await startRunningServer(whole, dataDir)
  const { account_id } = await operations.openAccount({ name: 'Idle', spend_policy: 'standard' })
  const kind = { category: 'paid', priority: 100, expires_at: null, reference: null } as const
  const grant = { account_id, ...kind, reason: 'a card' }
  for (const amount of ['1.00', '2.00', '3.00']) await operations.grant({ ...grant, amount })
  await process.stop()
  const environment = settings()
  const missing = 3
  await copyOlder(
    store.url,
    whole.SVC_EVENTSTORE_PREFIX,
    environment.SVC_EVENTSTORE_PREFIX,
    missing,
  )
  const restored = await startRunningServer(environment, dataDir, ['--accept-new-store'])
  await restored.process.stop()
  const verified = await runCli(['verify', '--data-dir', dataDir], environment)
  expect(`${verified.out}${verified.err}`).not.toContain('snapshot')
})

test('who wants to stop does not wait for a store that is away', async () => {
  const environment = { EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false' }
  const server = new ServerProcess(newFolder(), environment)
  onTestFinished(() => server.kill('SIGKILL'))
  await delay(STOP_AFTER_MS)
  const askedAt = performance.now()
  expect(await server.stop()).toEqual({ code: 0, signal: null })
  expect(performance.now() - askedAt).toBeLessThan(READY_MS / 2)
})

test('an empty store is no ledger for the CLI', async () => {
  const cli = await runCli(['account', 'list', '--data-dir', newFolder()], settings())
  expect([cli.code, cli.err]).toEqual([EXIT_NOT_FOUND, expect.stringContaining('holds no ledger')])
})

test.skipIf(!isBreakable)(
  'the store goes away and comes back [on a store that the test may break]',
  async () => {
    const { switches } = store
    if (switches === undefined) throw new Error('this store cannot be broken')
    const environment = settings()
    const dataDir = newFolder()
    const server = await startRunningServer(environment, dataDir)
    const { apiKey } = server.ready
    await pay(server.ready.baseUrl, apiKey)

    await switches.kill()
    const meanwhile = server.chat({ max_tokens: 8, messages: [{ role: 'user', content: 'Hi' }] })
    await switches.restart()
    expect([200, 503]).toContain((await meanwhile).status)
    await expect
      .poll(() => server.chat({ max_tokens: 8, messages: [{ role: 'user', content: 'Hi' }] }), {
        timeout: SETTLED_WITHIN_MS,
      })
      .toMatchObject({ status: 200 })
    const [account] = await server.operations.listAccounts({ limit: 1 })
    expect(account).toMatchObject({ held: '0.00', open_requests: 0 })
    expect((await verified(server.operations)).broken).toEqual([])
    expect(await server.process.stop()).toEqual({ code: 0, signal: null })
  },
)

test.skipIf(!isBreakable)(
  'while the store is away an operator is told so [on a store that the test may break]',
  async () => {
    const dataDir = newFolder()
    const server = await startRunningServer(settings(), dataDir)
    const { accountId } = server.ready
    await store.switches?.kill()
    onTestFinished(() => store.switches?.restart())
    await expectToldOfStoreAway(dataDir, accountId)
  },
)

test.skipIf(!isFreezable)(
  'a stop does not wait for a store that hangs [on a store that the test may freeze]',
  async () => {
    const environment = { ...settings(), SVC_SHUTDOWN_GRACE_MS: '1000', SVC_REQUEST_LOG: 'off' }
    const server = await startRunningServer(environment)
    await store.switches?.freeze()
    onTestFinished(() => store.switches?.thaw())
    const asked = server.chat({ max_tokens: 8, messages: [{ role: 'user', content: 'Hi' }] })
    asked.catch(() => {})
    await delay(HELD_MS)
    const askedAt = performance.now()
    expect(await server.process.stop()).toEqual({ code: EXIT_DIFFERENCE, signal: null })
    expect(performance.now() - askedAt).toBeLessThan(STOPPED_WITHIN_MS)
    expect(server.process.stderr).toContain('stopped without it')
  },
)

test('no file and no message of a server shows the password', async () => {
  const dataDir = newFolder()
  // Without TLS nobody asks for it.
  const isOpen = /tls=false/.test(store.url) && !store.url.includes('@')
  const url = isOpen ? store.url.replace('esdb://', 'esdb://admin:changeit@') : store.url
  const password = /:([^:@/]+)@/.exec(url)?.[1] ?? 'no password is set'
  const server = await startRunningServer({ ...settings(), EVENTSTORE_URL: url }, dataDir)
  await pay(server.ready.baseUrl, server.ready.apiKey)
  await server.process.stop()
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true })
  for (const file of files.filter((entry) => entry.isFile())) {
    const content = readFileSync(join(file.parentPath, file.name), 'latin1')
    expect(content.includes(password), file.name).toBe(false)
  }
  expect(server.process.stderr).not.toContain(password)
})
