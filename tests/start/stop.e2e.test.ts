/** How a server ends: asked to, asked in the middle of its start, killed, or by a failing disk. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { bareEnvironment } from '@svc/testing/bare-environment'
import { freePort } from '@svc/testing/free-port'
import { type ReadyLine, ServerProcess } from '@svc/testing/server-process'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { withoutModel } from '@svc/testing/without-model'
import { expect, onTestFinished, test } from 'vitest'

const MAIN = fileURLToPath(new URL('../../services/cli/src/main.ts', import.meta.url))
const EXIT_UNREACHABLE = 6
const UNTIL_THE_DISK_IS_FULL = 500
const TRY_AGAIN_MS = 10

const newFolder = () => join(temporaryFolder(), 'data')

function startServer(dataDir: string, environment: Record<string, string> = {}): ServerProcess {
  const server = new ServerProcess(dataDir, environment)
  onTestFinished(() => server.kill('SIGKILL'))
  return server
}

/** A server below a shell, as npm starts one. */
function startInShell(command: string, environment: Record<string, string> = {}) {
  const shell = spawn('bash', ['-c', command], {
    env: { PATH: process.env.PATH, SVC_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  onTestFinished(() => endGroup(shell.pid))
  const lines = createInterface({ input: shell.stdout })
  const ready = once(lines, 'line').then(([line]) => JSON.parse(line) as ReadyLine)
  return { shell, ready, outputEnded: once(shell.stdout, 'close') }
}

/** The shell and all that it started, if any of it is left. */
function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // Nothing is left.
  }
}

test('one Ctrl-C that arrives twice is one orderly stop', async () => {
  const dataDir = newFolder()
  const server = startServer(dataDir, await withoutModel())
  await server.ready()
  server.kill('SIGINT')
  server.kill('SIGINT')
  expect(await server.exited).toEqual({ code: 0, signal: null })
  expect(existsSync(join(dataDir, 'server.json'))).toBe(false)
})

test('a stop in the middle of the first start waits for no model and writes nothing', async () => {
  const dataDir = newFolder()
  const server = startServer(dataDir, { SVC_LOG_LEVEL: 'info' })
  await expect.poll(() => server.stderr).toContain('loading the model')
  server.kill('SIGTERM')
  expect(await server.exited).toEqual({ code: 0, signal: null })
  expect(server.stdout).toEqual([])
  expect(existsSync(dataDir)).toBe(false)
})

test('a client that connects before the server is ready does not keep it from starting', async () => {
  const port = await freePort()
  const { ready, outputEnded } = startInShell(
    `exec '${process.execPath}' '${MAIN}' start --json --port ${port} --data-dir '${newFolder()}'`,
  )
  const early = await connected(port)
  onTestFinished(() => void early.destroy())
  const { pid } = await ready
  process.kill(pid, 'SIGTERM')
  await outputEnded
})

test('a server whose npm was ended stops in order', async () => {
  const dataDir = newFolder()
  const { shell, ready, outputEnded } = startInShell(
    `'${process.execPath}' '${MAIN}' start --json --data-dir '${dataDir}'; true`,
    { ...(await withoutModel()), npm_lifecycle_event: 'start' },
  )
  await ready
  shell.kill('SIGTERM')
  await outputEnded
  expect(existsSync(join(dataDir, 'server.json'))).toBe(false)
})

test('after kill -9 the CLI opens the folder, and tells nobody on the old port the token', async () => {
  const dataDir = newFolder()
  const server = startServer(dataDir, await withoutModel())
  const { baseUrl } = await server.ready()
  server.kill('SIGKILL')
  await server.exited
  expect(JSON.parse(readFileSync(join(dataDir, 'server.json'), 'utf8')).baseUrl).toBe(baseUrl)

  const requests: (string | undefined)[] = []
  const stranger = createServer(({ headers }, response) => {
    requests.push(headers.authorization)
    response.end('{}')
  }).listen(Number(new URL(baseUrl).port), '127.0.0.1')
  onTestFinished(() => void stranger.close())
  await once(stranger, 'listening')

  const { code, stdout } = await runCli(['status', '--json', '--data-dir', dataDir])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ mode: 'stopped', accounts: 1 })
  expect(requests).toEqual([])
})

test.skipIf(process.platform === 'win32')(
  'a disk that fails ends the server with an error, and what it told is kept',
  async () => {
    const dataDir = newFolder()
    const limitKib = 256
    const { shell, ready } = startInShell(
      `ulimit -f ${limitKib}; exec '${process.execPath}' '${MAIN}' start --json --data-dir '${dataDir}'`,
    )
    let said = ''
    shell.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    const ended = once(shell, 'exit')
    const granted = await grantUntilRefused(await ready)
    expect((await ended)[0]).toBe(EXIT_UNREACHABLE)
    expect(said).toContain('the disk of the ledger has failed')

    const list = await runCli([
      'events',
      'list',
      '--type',
      'CreditGranted',
      '--limit',
      '1000',
      '--json',
      '--data-dir',
      dataDir,
    ])
    const kept = JSON.parse(list.stdout).events.map(
      ({ data }: { data: { grantId: string } }) => data.grantId,
    )
    expect(granted.length).toBeGreaterThan(0)
    expect(kept).toEqual(expect.arrayContaining(granted))
  },
)

async function grantUntilRefused({ baseUrl, accountId, dataDir }: ReadyLine): Promise<string[]> {
  const { operatorToken } = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8'))
  const granted: string[] = []
  for (let round = 0; round < UNTIL_THE_DISK_IS_FULL; round += 1) {
    const answer = await fetch(`${baseUrl}/admin/v1/accounts/${accountId}/grants`, {
      method: 'POST',
      headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        amount: '1',
        category: 'paid',
        priority: 100,
        expires_at: null,
        reference: `payment-${round}`,
        reason: 'x'.repeat(400),
      }),
    }).catch(() => undefined)
    if (answer?.status !== 200) return granted
    granted.push(((await answer.json()) as { grant_id: string }).grant_id)
  }
  throw new Error('the disk never failed')
}

async function runCli(args: readonly string[]): Promise<{ code: number; stdout: string }> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: bareEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  const [code] = await once(child, 'close')
  return { code, stdout }
}

/** The first connection that is taken. */
async function connected(port: number): Promise<Socket> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const taken = await new Promise<boolean>((resolve) => {
      socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    })
    if (taken) return socket
    await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS))
  }
}
