import { settingsOf } from '@svc/worker/settings/worker-settings'
import { describe, expect, test } from 'vitest'
import { readSettings } from '../settings/settings.ts'
import { localWorkersOf, workerEnvironment } from './local-workers.ts'

const CORES = 16

const CACHE_KEY = 'the key of the folder'

function environmentOf(environment: Record<string, string>, index = 0): Record<string, string> {
  const settings = readSettings(environment)
  const worker = localWorkersOf(settings)[index]
  if (worker === undefined) throw new Error('no such worker')
  return workerEnvironment(settings, worker, CACHE_KEY, CORES)
}

describe('the workers of a server', () => {
  test('are one of the demo model when nothing is set', () => {
    const workers = localWorkersOf(readSettings({}))
    expect(workers).toEqual([{ workerId: 'worker-1', model: 'demo', drained: false }])
    expect(environmentOf({})).toMatchObject({
      SVC_MODEL: 'demo',
      SVC_GPU: 'off',
      SVC_CACHE: 'on',
      SVC_CACHE_BYTES: '536870912',
    })
  })

  test('are as many as asked for, and one for each model that stands by', () => {
    const models = { SVC_MODEL: 'a.gguf', SVC_STANDBY_MODELS: 'b.gguf, c.gguf' }
    expect(localWorkersOf(readSettings({ SVC_WORKERS: '2', ...models }))).toEqual([
      { workerId: 'worker-1', model: 'a.gguf', drained: false },
      { workerId: 'worker-2', model: 'a.gguf', drained: false },
      { workerId: 'standby-1', model: 'b.gguf', drained: true },
      { workerId: 'standby-2', model: 'c.gguf', drained: true },
    ])
    expect(environmentOf(models)).toMatchObject({ SVC_MODEL: 'a.gguf' })
    expect(environmentOf(models, 1)).toMatchObject({ SVC_MODEL: 'b.gguf' })
  })

  test.each([
    ['1', undefined],
    ['2', 7],
    ['4', 3],
    ['64', 1],
  ])('%s of them on 16 cores: %o threads each', (workers, threads) => {
    expect(environmentOf({ SVC_WORKERS: workers }).SVC_THREADS).toBe(threads?.toString())
  })

  test('have the threads that were asked for', () => {
    const given = environmentOf({ SVC_WORKERS: '4', SVC_THREADS: '5' })
    expect(given).toMatchObject({ SVC_THREADS: '5' })
  })
})

describe('the environment of a worker', () => {
  const REDIS_URL = 'redis://:changeit@cache.example'

  test('has what it needs to share its cache', () => {
    expect(environmentOf({ REDIS_URL, SVC_CACHE_TTL_S: '60' })).toMatchObject({
      REDIS_URL,
      SVC_REDIS_PREFIX: 'svc.',
      SVC_CACHE_SECRET: CACHE_KEY,
      SVC_CACHE_TTL_S: '60',
      SVC_CACHE_TENANT_BYTES: '1073741824',
      SVC_CACHE_BLOCK_BYTES: '4194304',
    })
  })

  test('has the bounds on schemas that were set, and no others', () => {
    const environment = environmentOf({ SVC_SCHEMA_COMPILE_MS: '100', SVC_SCHEMA_BYTES: '32768' })
    expect(Object.entries(environment).filter(([name]) => name.startsWith('SVC_SCHEMA'))).toEqual([
      ['SVC_SCHEMA_BYTES', '32768'],
      ['SVC_SCHEMA_COMPILE_MS', '100'],
    ])
  })

  test('has the secret that was given, and no Redis where none is', () => {
    const SVC_CACHE_SECRET = 'given by the operator'
    const environment = environmentOf({ SVC_CACHE_SECRET })
    expect(environment).toMatchObject({ SVC_CACHE_SECRET })
    expect(environment).not.toHaveProperty('REDIS_URL')
  })

  test("has nothing that is the server's own, and all of it is what a worker takes", () => {
    const secrets = {
      SVC_WORKER_SECRET: 'for workers elsewhere',
      SVC_CONTENT_SECRET: 'of the gateway alone',
    }
    const environment = environmentOf({ ...secrets, SVC_SEQUENCES: '3', SVC_CONTEXT_SIZE: '512' })
    for (const name of [...Object.keys(secrets), 'SVC_PORT', 'SVC_DATA_DIR']) {
      expect(environment).not.toHaveProperty(name)
    }
    const taken = settingsOf({ socket: 's' }, environment)
    expect(taken.engine).toMatchObject({ model: 'demo', sequences: 3, contextSize: 512 })
    expect(taken.cache).toMatchObject({ secret: CACHE_KEY, redis: null })
  })
})
