/** `svc start worker` as an operator's supervisor sees it: one process, its signals, its codes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { WorkerClient } from '@svc/testing/protocol-client'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { expect, onTestFinished, test } from 'vitest'

const SVC = fileURLToPath(new URL('../../../../svc', import.meta.url))

function startWorker(words: readonly string[], environment: Record<string, string> = {}) {
  const child = spawn(SVC, ['start', 'worker', '--json', ...words], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  return {
    child,
    ended: once(child, 'close').then(([code, signal]) => ({ code, signal })),
    said: () => stderr,
    ready: async () => JSON.parse((await lines.next()).value ?? 'null'),
  }
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s ends it in order, and leaves no orphan',
  async (signal) => {
    const socketPath = join(temporaryFolder(), 'w.sock')
    const worker = startWorker(['--socket', socketPath, '--worker-id', 'gpu-1'])
    const ready = await worker.ready()
    expect(ready).toMatchObject({
      address: { socketPath },
      health: { workerId: 'gpu-1', toy: true },
    })
    // The process that was started is the worker itself, so that a signal to it reaches the worker.
    expect(ready.pid).toBe(worker.child.pid)
    expect(await new WorkerClient({ socketPath }).health()).toMatchObject({ status: 'ready' })
    worker.child.kill(signal)
    expect(await worker.ended).toEqual({ code: 0, signal: null })
    expect(existsSync(socketPath)).toBe(false)
    expect(() => process.kill(ready.pid, 0)).toThrow('ESRCH')
    expect(worker.said()).toBe('')
  },
)

test('it listens on TCP with the secret, and takes what its options leave out from settings', async () => {
  const SVC_WORKER_SECRET = 'a secret of many characters'
  const environment = { SVC_WORKER_SECRET, SVC_SEQUENCES: '3', SVC_LOG_LEVEL: 'info' }
  const worker = startWorker(['--port', '0'], environment)
  const { address, health } = await worker.ready()
  expect(health.load.sequences).toBe(3)
  const headers = { authorization: `Bearer ${SVC_WORKER_SECRET}` }
  expect(await new WorkerClient(address, headers).health()).toMatchObject({ status: 'ready' })
  worker.child.kill('SIGTERM')
  expect(await worker.ended).toMatchObject({ code: 0 })
  const lines = worker
    .said()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.map(({ msg }) => msg)).toContain('ready')
  for (const line of lines) expect(line).toMatchObject({ level: 30, time: expect.any(Number) })
  expect(worker.said()).not.toContain(SVC_WORKER_SECRET)
})

test('it listens where it is told to, and only there', async () => {
  const SVC_WORKER_SECRET = 'a secret of many characters'
  const worker = startWorker(['--port', '0', '--host', '127.0.0.2'], { SVC_WORKER_SECRET })
  const { address } = await worker.ready()
  expect(address).toEqual({ host: '127.0.0.2', port: expect.any(Number) })
  const statusAt = async (host: string) =>
    (await fetch(`http://${host}:${address.port}/health`)).status
  expect(await statusAt('127.0.0.2')).toBe(401)
  await expect(statusAt('127.0.0.1')).rejects.toThrow()
})

test('an address that this machine has not is refused with its name', async () => {
  const environment = { SVC_WORKER_SECRET: 'a secret of many characters' }
  const worker = startWorker(['--port', '0', '--host', '192.0.2.1'], environment)
  expect(await worker.ended).toEqual({ code: 1, signal: null })
  expect(worker.said()).toMatch(/^svc: cannot listen on 192\.0\.2\.1, port 0 \(EADDRNOTAVAIL\)\n$/)
})

test('an address that is taken is told before the model is looked at', async () => {
  const socketPath = join(temporaryFolder(), 'w.sock')
  await startWorker(['--socket', socketPath]).ready()
  const second = startWorker(['--socket', socketPath, '--model', '/none.gguf'])
  expect(await second.ended).toEqual({ code: 1, signal: null })
  expect(second.said()).toMatch(/^svc: cannot listen on socket .*w\.sock \(EADDRINUSE\)\n$/)
})

test.each([
  [[], 2, /^svc: give either --socket PATH or --port N\n$/],
  [['--socket', 's', '--gpu', 'cuda1'], 2, /^svc: --gpu must be one of off, auto/],
  [['--socket', 's', '--loud'], 2, /unknown option '--loud'/],
  [['--socket', 's', '--accept-new-store'], 2, /svc start worker has no option --accept-new-store/],
  [['--socket', 's', '--data-dir', 'd'], 2, /svc start worker has no option --data-dir/],
  [['--socket', 's', '--env-file', '/none.env'], 2, /there is no file \/none\.env/],
  [['--socket', 's', '--model', '/none.gguf'], 2, /^svc: the model file does not exist: .*\n$/],
  [['--socket', 's', '--model', '/'], 1, /^svc: the model must be a GGUF file, .*\n$/],
])('%j is refused with code %i and one line', async (words, code, message) => {
  const worker = startWorker(words)
  expect(await worker.ended).toEqual({ code, signal: null })
  expect(worker.said()).toMatch(message)
})

test('a misspelt setting stops it, as it stops a server', async () => {
  const worker = startWorker(['--socket', 's'], { SVC_MODLE: '/models/m.gguf' })
  expect(await worker.ended).toEqual({ code: 2, signal: null })
  expect(worker.said()).toContain('did you mean SVC_MODEL?')
})
