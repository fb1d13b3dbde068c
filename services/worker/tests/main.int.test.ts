import { spawn } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, open, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { demoModelPath, demoModelSha256 } from '@svc/infra/demo-model/demo-model'
import { WorkerClient } from '@svc/testing/protocol-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { refuseChangedDemoModel } from '../src/engines/llama/model-source.ts'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const SECRET = 'a secret of many characters'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-test-'))
})

afterAll(async () => {
  await rm(folder, { recursive: true })
})

function start(argv: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [MAIN, ...argv], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  return { child, ended, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() }
}

/** Starts a worker that should not start. */
async function refusal(argv: readonly string[], env: Record<string, string> = {}) {
  const { ended, lines } = start(argv, env)
  const line = JSON.parse((await lines.next()).value ?? 'null')
  const more = await lines.next()
  return { ...line, moreLines: !more.done, exitCode: await ended }
}

const socket = (name: string) => join(folder, `${name}.sock`)

describe('a worker that cannot start says why in one line', () => {
  const refuses = async (model: string, reason: RegExp) => {
    const result = await refusal(['--socket', socket('refused'), '--model', model])
    expect(result).toMatchObject({ type: 'refused', moreLines: false, exitCode: 78 })
    expect(result.reason).toMatch(reason)
    expect(result.reason).not.toContain('\n')
  }

  it('without the file', () => refuses(join(folder, 'none.gguf'), /does not exist: .*none\.gguf/))

  it('with a folder', async () => {
    await mkdir(join(folder, 'folder.gguf'))
    await refuses(join(folder, 'folder.gguf'), /this is a folder/)
  })

  it('with an empty file', async () => {
    await writeFile(join(folder, 'empty.gguf'), '')
    await refuses(join(folder, 'empty.gguf'), /it is no GGUF file/)
  })

  it('with a file whose header makes no sense', async () => {
    const bytes = await readFile(demoModelPath)
    bytes.fill(0xff, 8, 24)
    await writeFile(join(folder, 'absurd.gguf'), bytes)
    await refuses(join(folder, 'absurd.gguf'), /its header makes no sense/)
  })

  it('with a file that was cut off', async () => {
    const path = join(folder, 'cut.gguf')
    await copyFile(demoModelPath, path)
    await truncate(path, 1_000_000)
    await refuses(path, /it is cut off/)
  })

  it('with a file that ends within its header', async () => {
    const path = join(folder, 'stub.gguf')
    await copyFile(demoModelPath, path)
    await truncate(path, 5000)
    await refuses(path, /it is cut off/)
  })

  it('with a file in which a length is absurd, without trying to read it', async () => {
    const bytes = await readFile(demoModelPath)
    const key = bytes.indexOf('tokenizer.ggml.tokens') + 'tokenizer.ggml.tokens'.length
    // After the key: type of the value, type of its elements, their count, the first one's length.
    bytes.writeBigUInt64LE(1_000_000_000_000n, key + 4 + 4 + 8)
    await writeFile(join(folder, 'length.gguf'), bytes)
    await refuses(join(folder, 'length.gguf'), /it is cut off/)
  })

  it('with a model that has no chat template', async () => {
    const bytes = await readFile(demoModelPath)
    // The key keeps its length, so the rest of the file stays where it is.
    bytes.write('tokenizer.chat_tXmplate', bytes.indexOf('tokenizer.chat_template'))
    await writeFile(join(folder, 'base.gguf'), bytes)
    await refuses(join(folder, 'base.gguf'), /has no chat template/)
  })

  it('with a larger context than the model was trained for', async () => {
    const result = await refusal(['--socket', socket('large'), '--context-size', '8192'])
    expect(result.reason).toMatch(/trained for contexts of 4096 tokens; SVC_CONTEXT_SIZE .*8192/)
  })

  it('with an address that is taken', async () => {
    const path = socket('taken')
    const holder = await listenOn(path)
    const result = await refusal(['--socket', path])
    await new Promise((resolve) => holder.close(resolve))
    expect(result).toMatchObject({ type: 'refused', exitCode: 78 })
    expect(result.reason).toMatch(/cannot listen on socket .*taken\.sock \(EADDRINUSE\)/)
  })

  it('with a socket in a folder that is not there', async () => {
    const result = await refusal(['--socket', join(folder, 'none', 'worker.sock')])
    expect(result).toMatchObject({ type: 'refused', exitCode: 78 })
    expect(result.reason).toMatch(/worker\.sock \(its folder is not there: make it first\)/)
  })
})

it('a changed demo model is refused', async () => {
  const path = join(folder, 'changed.gguf')
  await copyFile(demoModelPath, path)
  const file = await open(path, 'r+')
  await file.write(Buffer.from([1]), 0, 1, 4_000_000)
  await file.close()
  await expect(refuseChangedDemoModel(path, demoModelSha256)).rejects.toThrow(
    /demo model is damaged/,
  )
  await refuseChangedDemoModel(demoModelPath, demoModelSha256)
})

it('is used on a socket without the secret that its environment has for others', async () => {
  const argv = ['--socket', socket('secret'), '--sequences', '1']
  const { child, ended, lines } = start(argv, { SVC_WORKER_SECRET: SECRET })
  const { address } = JSON.parse((await lines.next()).value ?? 'null')
  expect(await new WorkerClient(address).health()).toMatchObject({ status: 'ready' })
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
})

describe('a worker on TCP', () => {
  it('demands the shared secret on every path but those of probes, and drains on SIGTERM', async () => {
    const argv = ['--port', '0', '--sequences', '1']
    const { child, ended, lines } = start(argv, { SVC_WORKER_SECRET: SECRET })
    const { address } = JSON.parse((await lines.next()).value ?? 'null')
    const authorized = new WorkerClient(address, { authorization: `Bearer ${SECRET}` })
    expect(await authorized.health()).toMatchObject({ status: 'ready' })
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: SECRET }]) {
      const stranger = new WorkerClient(address, headers)
      for (const path of ['/health', '/state', '/nothing']) {
        const { status, body } = await stranger.call('GET', path)
        expect([status, body]).toMatchObject([401, { error: { code: 'unauthorized' } }])
      }
    }
    // Its supervisor has no secret, and is told no more than whether it can be used.
    const supervisor = new WorkerClient(address)
    expect(await supervisor.call('GET', '/livez')).toMatchObject({ body: { status: 'alive' } })
    const ready = { status: 200, body: { status: 'ready' } }
    expect(await supervisor.call('GET', '/readyz')).toMatchObject(ready)
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  })
})

async function listenOn(path: string): Promise<Server> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(path, resolve))
  return server
}
