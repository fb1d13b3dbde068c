import { Worker } from 'node:worker_threads'
import { afterEach, expect, it, vi } from 'vitest'
import { threadEnvironment } from './thread-environment.ts'

const PROGRAM = `
  const { getCompileCacheDir } = require('node:module')
  const { parentPort } = require('node:worker_threads')
  parentPort.postMessage({ names: Object.keys(process.env), folder: getCompileCacheDir() ?? null })
`

afterEach(() => vi.unstubAllEnvs())

function inThread(): Promise<{ names: string[]; folder: string | null }> {
  const { promise, resolve, reject } = Promise.withResolvers<never>()
  const thread = new Worker(PROGRAM, { eval: true, env: threadEnvironment() })
  thread.on('message', resolve).on('error', reject)
  return promise
}

it('tells a thread where compiled code is kept, and no secret', async () => {
  vi.stubEnv('SVC_CACHE_SECRET', 'a secret of many characters')
  const { NODE_COMPILE_CACHE = '' } = process.env
  const { names, folder } = await inThread()
  expect(names).toEqual(['NODE_COMPILE_CACHE'])
  expect(folder?.startsWith(NODE_COMPILE_CACHE)).toBe(true)
})

it('tells it nothing where none is kept', async () => {
  vi.stubEnv('NODE_COMPILE_CACHE', undefined)
  expect(await inThread()).toEqual({ names: [], folder: null })
})
