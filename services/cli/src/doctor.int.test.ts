/** What `svc doctor` finds, and that it changes nothing. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { fileURLToPath } from 'node:url'
import type { Operations } from '@svc/contracts/admin/operations'
import { DataFolder } from '@svc/server/data-folder/data-folder'
import { startAdminServer } from '@svc/testing/admin-server'
import { folderWithHistory } from '@svc/testing/data-folders'
import { EventStoreDbDouble } from '@svc/testing/eventstoredb-double'
import { FaultProxy } from '@svc/testing/network/fault-proxy'
import { describeOnOwnRedis, describeOnRedis } from '@svc/testing/redis/describe-on-redis'
import { startRedisServer } from '@svc/testing/redis/redis-server'
import { svc } from '@svc/testing/run-svc'
import { ScriptedWorker } from '@svc/testing/scripted-worker'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { TinyDisk } from '@svc/testing/tiny-disk'
import { expect, onTestFinished, test } from 'vitest'
import { workerServer } from '../testing/worker-server.ts'

type Environment = Record<string, string>

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** @returns by check, such as `ok` or `problem: what is wrong`; the last one of its name counts */
async function examined(dataDir: string, environment: Environment = {}) {
  const given = { SVC_PORT: '0', ...environment }
  const { code, out } = await svc(['--data-dir', dataDir, '--json', 'doctor'], {
    environment: given,
  })
  const { ok, findings } = JSON.parse(out) as {
    ok: boolean
    findings: { check: string; state: string; says: string }[]
  }
  expect(code).toBe(ok ? 0 : 1)
  const said = findings.map(({ check, state, says }) => {
    return [check, state === 'ok' ? 'ok' : `${state}: ${says}`] as const
  })
  return { ok, checks: Object.fromEntries(said), text: out }
}

function filesOf(path: string) {
  return readdirSync(path, { recursive: true }).map((name) => {
    const { mtimeMs, size, mode } = statSync(join(path, String(name)))
    return [name, mtimeMs, size, mode]
  })
}

test('a sound folder is left as it is', async () => {
  const { path } = await folderWithHistory()
  const before = filesOf(path)
  const { checks } = await examined(path)
  const well = { 'data folder': 'ok', permissions: 'ok', settings: 'ok', model: 'ok', ledger: 'ok' }
  expect(checks).toMatchObject({ ...well, server: 'ok', versions: 'ok', address: 'ok' })
  expect(filesOf(path)).toEqual(before)
})

test('a folder that is not there is not made', async () => {
  const path = join(temporaryFolder(), 'data')
  expect((await examined(path)).ok).toBe(true)
  expect(existsSync(path)).toBe(false)
})

test('the text has one line for each check, and the exit code says that one is wrong', async () => {
  const { path } = await folderWithHistory()
  const environment = { SVC_PORT: '0', SVC_PROT: '1' }
  const { code, out, err } = await svc(['--data-dir', path, 'doctor'], { environment })
  expect(code).toBe(1)
  expect(out).toMatch(/^PROBLEM {2}settings: SVC_PROT is not a setting .* SVC_PORT/m)
  expect(
    out
      .trim()
      .split('\n')
      .every((line) => /^(ok|note|PROBLEM) +\S/.test(line)),
  ).toBe(true)
  expect(err).toContain('1 problem found')
})

test('what others may read, a damaged note and a foreign ledger are found', async () => {
  const { path } = await folderWithHistory()
  const folder = new DataFolder(path)
  chmodSync(join(path, 'secrets.json'), 0o644)
  writeFileSync(folder.ledgerFile, 'not a database at all, and longer than a header of SQLite is …')
  writeFileSync(join(path, 'first-run.json'), 'x', { mode: 0o600 })
  const { checks } = await examined(path)
  expect(checks).toMatchObject({
    permissions: expect.stringMatching(/^problem: .*secrets\.json.*chmod/),
    ledger: expect.stringMatching(/^problem: .*is not an event log of this program/),
    'data folder': expect.stringMatching(/^problem: .*first-run\.json is damaged/),
  })
})

test('what a backup would meet is told, and nothing is made for it', async ({ skip }) => {
  const { path } = await folderWithHistory()
  const place = temporaryFolder()
  const backups = async (into: string) =>
    (await examined(path, { SVC_BACKUP_DIR: into })).checks.backups
  expect(await backups(join(place, 'backups'))).toBe('ok')
  expect(await backups(place)).toBe('ok')
  const missing = join(place, 'not-mounted')
  expect(await backups(join(missing, 'backups'))).toMatch(`${missing} is not there: mount its disk`)
  symlinkSync(missing, join(place, 'link'))
  expect(await backups(join(place, 'link'))).toMatch(
    /^problem: .*a link to what is not there: make/,
  )
  expect(await backups(join(path, 'views'))).toMatch(/^problem: .*views is in the data folder/)
  chmodSync(place, 0o777)
  expect(await backups(place)).toMatch(/^problem: other users may write to .* or name another/)
  expect(readdirSync(place)).toEqual(['link'])

  const disk = TinyDisk.mount(8)
  if (disk === undefined) return skip('a file system can only be mounted by root on Linux')
  disk.fill(5.5 * 1024 ** 2)
  const full = join(disk.folder, 'backups')
  expect(await backups(full)).toMatch(/^problem: A backup needs \d+ MiB in .* and 5 are free\.$/)
  expect(existsSync(full)).toBe(false)
})

test('when the last backup was written is told', async () => {
  const { path } = await folderWithHistory()
  const says = async () => {
    const { out } = await svc(['--data-dir', path, '--json', 'doctor'], {
      environment: { SVC_PORT: '0' },
    })
    const { findings } = JSON.parse(out) as { findings: { check: string; says: string }[] }
    return findings.find(({ check }) => check === 'backups')?.says
  }
  expect(await says()).toMatch('it has written none yet')
  new DataFolder(path).writeLastBackup({
    folder: '/backups/one',
    writtenAt: '2026-11-27T03:00:00.000Z',
  })
  expect(await says()).toMatch('it wrote the last one at 2026-11-27T03:00:00.000Z')
  writeFileSync(join(path, 'last-backup.json'), '{', { mode: 0o600 })
  expect(await says()).toMatch('when it wrote the last one is not known')
})

test('backups beside the data are no problem before there is a folder, nor where few fit', async ({
  skip,
}) => {
  const disk = TinyDisk.mount(200)
  if (disk === undefined) return skip('a file system can only be mounted by root on Linux')
  const { ok, checks } = await examined(join(disk.folder, 'data'))
  expect(checks.backups).toMatch(/^note: A backup needs 256 MiB in .*data\/backups, some/)
  expect(ok).toBe(true)
})

test('a port that is taken, and a ledger on the wrong side, are found', async () => {
  const { path } = await folderWithHistory()
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  onTestFinished(() => void holder.close())
  const { port } = holder.address() as AddressInfo
  const double = await EventStoreDbDouble.start()
  onTestFinished(() => double.close())
  const { eventsCommitted } = double.observed
  const { checks } = await examined(path, { SVC_PORT: `${port}`, EVENTSTORE_URL: double.url })
  expect(checks).toMatchObject({
    address: expect.stringMatching(/^problem: .* is taken/),
    ledger: expect.stringMatching(/^problem: .*svc migrate --to eventstoredb/),
    EventStoreDB: 'ok',
  })
  expect(double.observed.eventsCommitted).toBe(eventsCommitted)
})

test('connections that fail say what to do, and show no secret', async () => {
  const worker = join(tmpdir(), `svc-doctor-${randomUUID()}.sock`)
  const { checks, text } = await examined(temporaryFolder(), {
    EVENTSTORE_URL: 'esdb://svc:hidden-1@127.0.0.1:1?tls=false',
    REDIS_URL: 'redis://:hidden-2@127.0.0.1:1',
    KAFKA_BROKERS: '127.0.0.1:1',
    SVC_WORKER_URLS: `unix:${worker},http://127.0.0.1:1`,
    SVC_WORKER_SECRET: 'hidden-3-hidden-3-hidden-3',
  })
  const problem = (what: RegExp) => expect.stringMatching(new RegExp(`^problem: .*${what.source}`))
  expect(checks).toMatchObject({
    EventStoreDB: problem(/127\.0\.0\.1:1 .*check that it runs/),
    Redis: problem(/127\.0\.0\.1:1 .*check that it runs/),
    Kafka: problem(/KAFKA_BROKERS/),
    [`worker unix:${worker}`]: problem(/SVC_WORKER_URLS/),
    'worker http://127.0.0.1:1': problem(/SVC_WORKER_URLS/),
  })
  expect(text).not.toContain('hidden')
})

test('a Kafka that wants TLS and is spoken to without it is told with the setting', async () => {
  const broker = createTlsServer().listen(0, '127.0.0.1')
  await once(broker, 'listening')
  onTestFinished(() => void broker.close())
  const { port } = broker.address() as AddressInfo
  const { checks } = await examined(temporaryFolder(), { KAFKA_BROKERS: `127.0.0.1:${port}` })
  expect(checks.Kafka).toMatch(/^problem: .*with TLS .* SVC_KAFKA_TLS is off/)
})

/** A folder on which a server with these operations runs. */
async function folderOf(operations: Operations): Promise<string> {
  const { path } = await folderWithHistory()
  const folder = new DataFolder(path)
  const { operatorToken } = folder.secrets()
  const server = await startAdminServer({
    operations,
    operatorToken,
    address: () => server.baseUrl,
  })
  onTestFinished(server.close)
  const startedAt = new Date().toISOString()
  folder.writeServer({ pid: process.pid, baseUrl: server.baseUrl, startedAt })
  return path
}

test('a server that hangs is told as a problem, and not as a folder without one', async () => {
  const { path } = await folderWithHistory()
  const folder = new DataFolder(path)
  folder.secrets()
  const hanging = createServer().listen(0, '127.0.0.1')
  await once(hanging, 'listening')
  onTestFinished(() => void hanging.close())
  const baseUrl = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`
  folder.writeServer({ pid: process.pid, baseUrl, startedAt: new Date().toISOString() })
  const { checks } = await examined(path)
  expect(checks.server).toMatch(`problem: process ${process.pid} did not answer in time: it may be`)
  expect(checks.server).toContain('end it only when it still does not answer')
})

test('a worker that somebody drains is told with the command that ends it', async () => {
  const { operations } = await workerServer()
  await operations.drainWorker({ worker_id: 'worker-1', draining: true })
  const { text } = await examined(await folderOf(operations))
  const says = 'worker worker-1 takes no requests: end that with svc worker drain worker-1 --undo'
  expect(text).toContain(says)
})

test('a worker that does without a GPU that is there is told', async () => {
  const { operations, workers, pool } = await workerServer()
  workers[1].gpuProblem = 'SVC_GPU=auto takes the CPU, because of what failed: cuda'
  const told = () => pool.workers.some(({ health }) => health?.gpuProblem !== null)
  await expect.poll(told).toBe(true)
  const { text, ok } = await examined(await folderOf(operations))
  expect(text).toContain('worker worker-2: SVC_GPU=auto takes the CPU, because of what failed')
  expect(ok).toBe(false)
})

test('a ready worker that is too busy to tell its load is a note and no problem', async () => {
  const { operations, workers } = await workerServer()
  workers[1].state = 'silent'
  const status: Operations['status'] = async () => ({
    ...(await operations.status()),
    unpriced_models: [],
  })
  const { checks, ok, text } = await examined(await folderOf({ ...operations, status }))
  expect(checks.server).toBe(
    'note: worker worker-2 is ready and did not tell its load in time: it may be busy',
  )
  expect(ok, text).toBe(true)
})

test('what keeps the top-ups of a running server waiting is told', async () => {
  const { operations } = await workerServer()
  const status: Operations['status'] = async () => ({
    ...(await operations.status()),
    top_ups: {
      topic: 'payments',
      group: 'svc-topups',
      dead_letter_topic: 'payments.dead',
      granted: 0,
      repeated: 0,
      dead: 0,
      waiting: '0',
      problems: ['Top-ups are not taken: there is no topic payments'],
    },
  })
  const { text } = await examined(await folderOf({ ...operations, status }))
  expect(text).toContain('Top-ups are not taken: there is no topic payments')
})

test('a view that failed, and a hold that nobody ended, are told of a running server', async () => {
  const { operations } = await workerServer()
  const failed = { name: 'usage', version: 5, position: '3', head: '9', error: 'disk full' }
  const status: Operations['status'] = async () => ({
    ...(await operations.status()),
    projections: [{ ...failed, state: 'failed' }],
    overdue_holds: { count: 1, since: '2026-11-01T00:00:00.000Z' },
  })
  const { text } = await examined(await folderOf({ ...operations, status }))
  expect(text).toContain('the view usage failed: disk full')
  const since = '1 hold is past its deadline, since 2026-11-01T00:00:00.000Z: svc hold list'
  expect(text).toContain(since)
})

test('a gateway that asks others for views has no problem for that, and tells of others', async () => {
  const { operations } = await workerServer()
  const status: Operations['status'] = async () => ({
    ...(await operations.status()),
    projections: [],
    accounts: null,
    open_requests: null,
    overdue_holds: null,
    unpriced_models: ['toy'],
    priced_from: '2999-01-01T00:00:00.000Z',
  })
  const { checks } = await examined(await folderOf({ ...operations, status }))
  const problem = 'problem: no price is in force for toy before 2999-01-01T00:00:00.000Z'
  expect(checks.server).toBe(problem)
})

test('a worker that answers is well', async () => {
  const socketPath = join(tmpdir(), `svc-doctor-${randomUUID()}.sock`)
  const worker = new ScriptedWorker({ socketPath, workerId: 'worker-1' })
  await worker.listen()
  onTestFinished(() => worker.close())
  const url = `unix:${socketPath}`
  const { checks } = await examined(temporaryFolder(), { SVC_WORKER_URLS: url })
  expect(checks[`worker ${url}`]).toBe('ok')
})

describeOnOwnRedis('a Redis on a busy machine', () => {
  test('that takes longer for an answer than a server would wait is well', async () => {
    const redis = await startRedisServer()
    const proxy = await FaultProxy.listen(Number(new URL(redis.url).port))
    onTestFinished(async () => {
      await redis.close()
      await proxy.close()
    })
    proxy.delay(150)
    const url = `redis://127.0.0.1:${proxy.port}`
    const { checks } = await examined(temporaryFolder(), { REDIS_URL: url })
    expect(checks).toMatchObject({ Redis: 'ok', clock: 'ok' })
  })
})

describeOnRedis('a Redis', () => {
  test('that answers is well, and its clock is compared', async () => {
    const redis = await startRedisServer()
    onTestFinished(() => redis.close())
    const { checks } = await examined(temporaryFolder(), { REDIS_URL: redis.url })
    expect(checks).toMatchObject({ Redis: 'ok', clock: 'ok' })
  })

  test('whose user has the rights that our page lists, and no more, is well', async () => {
    const { checks } = await examinedAsUser(rightsOnPage())
    expect(checks.Redis).toBe('ok')
  })

  test('whose user has too few rights is told of by the rights', async () => {
    const { checks } = await examinedAsUser(['~svc.*', '+get'])
    expect(checks.Redis).toMatch(/^problem: .*\(NOPERM\): give its user the rights/)
  })

  test('that wants a password says so', async () => {
    const redis = await startRedisServer({ settings: ['--requirepass', 'right'] })
    onTestFinished(() => redis.close())
    const url = redis.url.replace('redis://', 'redis://:wrong@')
    const { checks } = await examined(temporaryFolder(), { REDIS_URL: url })
    expect(checks.Redis).toMatch(/^problem: .*check user and password in REDIS_URL/)
  })
})

async function examinedAsUser(rights: readonly string[]) {
  const settings = ['--user', 'svc', 'on', '>hunter2', ...rights]
  const redis = await startRedisServer({ settings })
  onTestFinished(() => redis.close())
  const url = redis.url.replace('redis://', 'redis://svc:hunter2@')
  return await examined(temporaryFolder(), { REDIS_URL: url })
}

/** As whoever follows the page gives them to the user of the workers. */
function rightsOnPage(): readonly string[] {
  const page = readFileSync(join(ROOT, 'docs/how-to/run-several-workers.md'), 'utf8')
  const [, rights = ''] = /user svc on >PASSWORD ([^`]*)```/.exec(page) ?? []
  expect(rights).toContain('+strlen')
  return rights.trim().split(/\s+/)
}
