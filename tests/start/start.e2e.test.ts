/** `npm start` as a newcomer and an operator meet it: first run, second run, refusals, stop. */
import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ServerProcess } from '@svc/testing/server-process'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { withoutModel } from '@svc/testing/without-model'
import { describe, expect, onTestFinished, test } from 'vitest'

const LAUNCHER = fileURLToPath(new URL('../../services/cli/bin/svc.js', import.meta.url))

const EXIT_CONFLICT = 5

function startServer(dataDir: string, environment: Record<string, string> = {}): ServerProcess {
  const server = new ServerProcess(dataDir, environment)
  onTestFinished(() => server.kill('SIGKILL'))
  return server
}

/** For tests without a request: the model takes as much of a start as all the rest. */
async function startWithoutModel(
  dataDir: string,
  environment: Record<string, string> = {},
): Promise<ServerProcess> {
  return startServer(dataDir, { ...(await withoutModel()), ...environment })
}

describe('a first start', () => {
  test('prints one JSON line with a key that works, and keeps the folder to its owner', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    const server = startServer(dataDir)
    const ready = await server.ready()

    expect(ready).toEqual({
      type: 'ready',
      baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      apiKey: expect.stringMatching(/^sk-svc-/),
      accountId: expect.stringMatching(/^acct_/),
      ownerLink: expect.stringMatching(/^http:.*\/dashboard\/join#svc-link-/),
      dataDir,
      pid: server.pid,
    })
    expectOwnerOnly(dataDir)
    const balance = await getBalance(ready.baseUrl, ready.apiKey)
    expect(balance).toEqual({
      object: 'balance',
      currency: 'USD',
      settled: '5.00',
      held: '0.00',
      available: '5.00',
      expiring: { total: '0.00', grants: [] },
    })

    expect(await server.stop()).toEqual({ code: 0, signal: null })
    expect(server.stdout).toHaveLength(1)
  })

  test('is repeated without a new account or a secret', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    const first = await startWithoutModel(dataDir)
    const { accountId, apiKey } = await first.ready()
    await first.stop()

    const second = await startWithoutModel(dataDir)
    const ready = await second.ready()
    expect(ready.accountId).toBe(accountId)
    expect(second.stdout.join()).not.toContain('sk-svc-')
    expect(await getBalance(ready.baseUrl, apiKey)).toMatchObject({ settled: '5.00' })
    expect(await second.stop()).toEqual({ code: 0, signal: null })
  })

  test('that was killed half-way is finished by the next', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    const killed = await startWithoutModel(dataDir, { SVC_CRASH_POINT: 'store.after-commit:2' })
    expect(await killed.exited).toEqual({ code: null, signal: 'SIGKILL' })

    const second = await startWithoutModel(dataDir)
    const { baseUrl, apiKey } = await second.ready()
    expect(await getBalance(baseUrl, apiKey)).toMatchObject({ settled: '5.00' })
    await second.stop()
  })
})

test('a ledger that was restored from a backup is given no second demo account', async () => {
  const dataDir = join(temporaryFolder(), 'data')
  const first = await startWithoutModel(dataDir)
  const { accountId, apiKey } = await first.ready()
  await first.stop()
  for (const name of readdirSync(dataDir)) {
    if (name !== 'ledger.db') rmSync(join(dataDir, name), { recursive: true })
  }

  const restored = await startWithoutModel(dataDir)
  const ready = await restored.ready()
  expect(ready.accountId).toBe(accountId)
  expect(ready.apiKey).toBeUndefined()
  expect(await getBalance(ready.baseUrl, apiKey)).toMatchObject({ settled: '5.00' })
  const { operatorToken } = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8'))
  const status = await fetch(`${ready.baseUrl}/admin/v1/status`, {
    headers: { authorization: `Bearer ${operatorToken}` },
  })
  expect(await status.json()).toMatchObject({ accounts: 1 })
  await restored.stop()
})

test("a start among a client's and a cluster's variables warns of those it does not know", async () => {
  const server = await startWithoutModel(join(temporaryFolder(), 'data'), {
    SVC_URL: 'http://127.0.0.1:8080',
    SVC_KEY: 'sk-svc-x',
    SVC_SERVICE_HOST: '10.0.0.7',
    SVC_PORT: 'tcp://10.0.0.7:80',
    SVC_PORT_80_TCP_PORT: '80',
    SVC_API_KEY: 'sk-svc-x',
  })
  await server.ready()
  await server.stop()
  const warnings = server.stderr.trim().split('\n')
  expect(warnings).toEqual([expect.stringMatching(/SVC_API_KEY .* did you mean SVC_KEY\?/)])
  expect(server.stderr).not.toContain('sk-svc-x')
})

describe('a start that cannot succeed says why in one line, exits with an error, and writes nothing', () => {
  test('a data folder that is a file', async () => {
    const file = join(temporaryFolder(), 'data')
    writeFileSync(file, 'not a folder')
    await expectRefusal(['--data-dir', file], {}, /not a folder/)
    expect(statSync(file).isFile()).toBe(true)
  })

  test('a ledger that is no database', async () => {
    const dataDir = temporaryFolder()
    writeFileSync(join(dataDir, 'ledger.db'), 'this is not SQLite'.repeat(100))
    await expectRefusal(['--data-dir', dataDir], {}, /ledger\.db/)
    expect(readdirSync(dataDir)).toEqual(['ledger.db'])
  })

  test('a folder that another server has open', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    const server = await startWithoutModel(dataDir)
    await server.ready()
    await expectRefusal(['--data-dir', dataDir], {}, /in use by another process/, EXIT_CONFLICT)
    expect(await server.stop()).toEqual({ code: 0, signal: null })
  })

  test('a model file that is missing', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    await expectRefusal(['--data-dir', dataDir, '--model', '/nowhere/model.gguf'], {}, /model/)
    expect(existsSync(dataDir)).toBe(false)
  })

  test('a model file that is no model', async () => {
    const folder = temporaryFolder()
    const model = join(folder, 'model.gguf')
    writeFileSync(model, 'GGUF but not really')
    await expectRefusal(['--data-dir', join(folder, 'data'), '--model', model], {}, /model/)
    expect(existsSync(join(folder, 'data'))).toBe(false)
  })

  test('a port that is taken', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    const blocker = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void blocker.close())
    await new Promise((resolve) => blocker.once('listening', resolve))
    const address = blocker.address()
    const port = address !== null && typeof address === 'object' ? String(address.port) : ''
    await expectRefusal(['--data-dir', dataDir, '--port', port], {}, /port .*(taken|in use)/i)
    expect(existsSync(dataDir)).toBe(false)
  })

  test.each([
    ['a port that is no number', { SVC_PORT: 'eighty' }, /SVC_PORT/],
    ['a setting that does not exist', { SVC_PROT: '1' }, /SVC_PROT is not a setting/],
    ['workers without their secret', { SVC_WORKER_URLS: 'http://h:1' }, /SVC_WORKER_SECRET/],
    ['a crash point that does not exist', { SVC_CRASH_POINT: 'nowhere:1' }, /nowhere/],
  ])('%s', async (_name, environment, reason) => {
    const dataDir = join(temporaryFolder(), 'data')
    await expectRefusal(['--data-dir', dataDir], environment, reason)
    expect(existsSync(dataDir)).toBe(false)
  })

  test('a note of the first run that is damaged', async () => {
    const dataDir = temporaryFolder()
    writeFileSync(join(dataDir, 'first-run.json'), '{"accountId":')
    await expectRefusal(['--data-dir', dataDir], {}, /first-run\.json is damaged/)
    expect(readdirSync(dataDir)).toEqual(['first-run.json'])
  })

  test('a folder that cannot be made', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'file-in-the-way'), { recursive: true })
    writeFileSync(join(folder, 'file-in-the-way', 'data'), '')
    await expectRefusal(['--data-dir', join(folder, 'file-in-the-way', 'data', 'x')], {}, /folder/)
  })
})

function expectOwnerOnly(folder: string): void {
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const { mode } = statSync(join(entry.parentPath, entry.name))
    expect(mode & 0o077, entry.name).toBe(0)
  }
}

async function getBalance(baseUrl: string, apiKey: string | undefined): Promise<unknown> {
  const headers = { authorization: `Bearer ${apiKey}` }
  const answer = await fetch(`${baseUrl}/v1/balance`, { headers })
  expect(answer.status).toBe(200)
  return answer.json()
}

async function expectRefusal(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  reason: RegExp,
  exitCode?: number,
): Promise<void> {
  const { code, stdout, stderr } = await runLauncher(['start', ...args], {
    SVC_PORT: '0',
    ...environment,
  })
  expect(stderr).toMatch(reason)
  if (exitCode === undefined) expect(code).toBeGreaterThan(0)
  else expect(code).toBe(exitCode)
  expect(stderr.trim().split('\n')).toHaveLength(1)
  expect(stdout).toBe('')
}

function runLauncher(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [LAUNCHER, ...args],
      { env: { PATH: process.env.PATH, ...environment }, timeout: 30_000 },
      (_error, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })
}
