/**
 * One stream of a server is told to forget, or is deleted, while it runs: its account is refused at
 * once, and everything else goes on, here and over a restart.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { secretOf } from '@svc/testing/made-key'
import { svc } from '@svc/testing/run-svc'
import { type RunningServer, startRunningServer } from '@svc/testing/running-server'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { verified } from '@svc/testing/verified'
import { withoutModel } from '@svc/testing/without-model'
import { expect, onTestFinished, test } from 'vitest'
import { newPrefix, pay } from './server-story.ts'
import { startStoreUnderTest } from './store-under-test.ts'

const SEED = 1
const EXIT_DIFFERENCE = 1
const EXIT_USAGE = 2
const TEST_MS_MAX = 120_000
/** Each look asks a whole server. */
const SELDOM = { interval: 250 }
const ALTER_STREAM = fileURLToPath(
  new URL('../support/eventstoredb/alter-stream.ts', import.meta.url),
)

const run = promisify(execFile)

async function serving() {
  const store = await startStoreUnderTest(SEED)
  onTestFinished(() => store.stop())
  const environment = {
    EVENTSTORE_URL: store.url,
    SVC_EVENTSTORE_PREFIX: newPrefix(),
    ...(await withoutModel()),
  }
  const dataDir = join(temporaryFolder(), 'data')
  const server = await startRunningServer(environment, dataDir)
  const alter = async (stream: string, order: string): Promise<void> => {
    await run(process.execPath, [ALTER_STREAM, store.url, stream, order])
  }
  return { environment, dataDir, server, alter }
}

/** A customer beside the one of the first start. */
async function openCustomer({ operations }: RunningServer) {
  const account = await operations.openAccount({ name: 'other', spend_policy: 'standard' })
  const { account_id } = account
  const grant = { category: 'paid', priority: 0, expires_at: null, reference: 'r' } as const
  await operations.grant({ account_id, amount: '10', reason: 'test', ...grant })
  return secretOf(await operations.createKey({ account_id, name: 'k', expires_at: null }))
}

const codeOf = async ({ chat }: RunningServer) => {
  const answer = await chat({ max_tokens: 8, messages: [{ role: 'user', content: 'Hi' }] })
  const body = (await answer.json()) as { error?: { code: string } }
  return [answer.status, body.error?.code]
}

test.each([
  ['{"maxCount":1}', /its metadata has \$maxCount/],
  ['{"acl":{"readRoles":["nobody"]}}', /its metadata has \$acl/],
  // An append that comes before it is seen makes the server write a `$tb` of its own.
  ['delete', /it was deleted|its metadata has \$tb/],
  ['tombstone', /it was deleted for ever/],
])(
  'an account whose stream is given the order %s is refused, and no other',
  async (order, why) => {
    const { environment, dataDir, server, alter } = await serving()
    const other = await openCustomer(server)
    const { ready } = server
    await pay(ready.baseUrl, ready.apiKey)
    await pay(ready.baseUrl, other)
    const stream = `${environment.SVC_EVENTSTORE_PREFIX}account-${ready.accountId}`
    await alter(stream, order)
    await expect.poll(() => codeOf(server), SELDOM).toEqual([503, 'account_damaged'])
    await pay(ready.baseUrl, other)
    const { problems } = (await server.operations.status()).store
    expect(problems).toEqual([expect.stringMatching(why)])
    expect(problems[0]).toContain(`the stream ${stream} is set aside`)
    const verify = await svc(['verify', '--data-dir', dataDir])
    expect(verify).toMatchObject({ code: EXIT_DIFFERENCE, out: expect.stringMatching(why) })
    expect(verify.out).toContain(stream)
    const list = ['account', 'quarantine', 'list', '--data-dir', dataDir]
    const listed = { code: 0, out: expect.stringMatching(why) }
    expect(await svc(list)).toMatchObject(listed)
    expect((await fetch(`${ready.baseUrl}/readyz`)).status).toBe(200)
    await server.process.stop()
    expect(await svc(list, { environment })).toMatchObject(listed)

    const next = await startRunningServer(environment, dataDir)
    await pay(next.ready.baseUrl, other)
    await expect(pay(next.ready.baseUrl, ready.apiKey)).rejects.toThrow('account_damaged')
    expect(await next.operations.listAccounts({ limit: 10 })).toHaveLength(2)
  },
  TEST_MS_MAX,
)

test.each(['{"maxCount":1}', 'delete'])(
  'an account whose stream was given the order %s is served again once that is taken back',
  async (order) => {
    const { environment, server, alter } = await serving()
    const { ready } = server
    await pay(ready.baseUrl, ready.apiKey)
    const stream = `${environment.SVC_EVENTSTORE_PREFIX}account-${ready.accountId}`
    await alter(stream, order)
    await expect.poll(() => codeOf(server), SELDOM).toEqual([503, 'account_damaged'])
    const repair = ['store', 'repair-metadata', stream]
    const unasked = await svc(repair, { environment })
    expect(unasked).toMatchObject({ code: EXIT_USAGE, err: expect.stringContaining('--yes') })
    const repaired = await svc(['--json', ...repair, '--yes'], { environment })
    expect(repaired).toMatchObject({ code: 0, err: '' })
    expect(JSON.parse(repaired.out)).toMatchObject({ stream, first_revision: 0 })
    await expect.poll(() => codeOf(server), SELDOM).toEqual([200, undefined])
    const again = await svc([...repair, '--yes'], { environment })
    expect(again).toMatchObject({ code: 0, out: `${stream}: nothing hides its events\n` })
    expect((await verified(server.operations)).set_aside).toEqual([])
  },
  TEST_MS_MAX,
)

test('what was deleted for ever is not repaired, and other streams are not touched', async () => {
  const { environment, server, alter } = await serving()
  const stream = `${environment.SVC_EVENTSTORE_PREFIX}account-${server.ready.accountId}`
  await alter(stream, 'tombstone')
  const repair = (name: string) => svc(['store', 'repair-metadata', name, '--yes'], { environment })
  const said = expect.stringContaining('only a backup brings it back')
  expect(await repair(stream)).toMatchObject({ code: EXIT_DIFFERENCE, err: said })
  const none = expect.stringContaining('is none of our streams')
  expect(await repair('other.stream')).toMatchObject({ code: EXIT_USAGE, err: none })
})
