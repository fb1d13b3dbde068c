import { describe, expect, test } from 'vitest'
import { readSettings } from '../settings/settings.ts'
import { localWorkersOf, workerArguments, workerEnvironment } from './worker-arguments.ts'

const CORES = 16

function argumentsOf(environment: Record<string, string>, index = 0): string {
  const settings = readSettings(environment)
  const worker = localWorkersOf(settings)[index]
  if (worker === undefined) throw new Error('no such worker')
  return workerArguments(settings, worker, CORES).join(' ')
}

describe('the workers of a server', () => {
  test('are one of the demo model when nothing is set', () => {
    const workers = localWorkersOf(readSettings({}))
    expect(workers).toEqual([{ workerId: 'worker-1', model: 'demo', drained: false }])
    const cache = '--cache on --cache-bytes 536870912'
    expect(argumentsOf({})).toBe(`--model demo --gpu off ${cache}`)
  })

  test('are as many as asked for, and one for each model that stands by', () => {
    const models = { SVC_MODEL: 'a.gguf', SVC_STANDBY_MODELS: 'b.gguf, c.gguf' }
    expect(localWorkersOf(readSettings({ SVC_WORKERS: '2', ...models }))).toEqual([
      { workerId: 'worker-1', model: 'a.gguf', drained: false },
      { workerId: 'worker-2', model: 'a.gguf', drained: false },
      { workerId: 'standby-1', model: 'b.gguf', drained: true },
      { workerId: 'standby-2', model: 'c.gguf', drained: true },
    ])
    expect(argumentsOf(models)).not.toContain('--drained')
    expect(argumentsOf(models, 1)).toMatch(/^--model b.gguf .* --drained$/)
  })

  test.each([
    ['1', undefined],
    ['2', 7],
    ['4', 3],
    ['64', 1],
  ])('%s of them on 16 cores: %o threads each', (workers, threads) => {
    const words = argumentsOf({ SVC_WORKERS: workers })
    expect(/--threads (\d+)/.exec(words)?.[1]).toBe(threads?.toString())
  })

  test('have the threads that were asked for', () => {
    expect(argumentsOf({ SVC_WORKERS: '4', SVC_THREADS: '5' })).toContain('--threads 5')
  })
})

describe('the environment of a worker', () => {
  const REDIS_URL = 'redis://:changeit@cache.example'

  test('has what it needs to share its cache', () => {
    const settings = readSettings({ REDIS_URL, SVC_CACHE_TTL_S: '60' })
    expect(workerEnvironment(settings, 'the key of the folder')).toEqual({
      REDIS_URL,
      SVC_REDIS_PREFIX: 'svc.',
      SVC_CACHE_SECRET: 'the key of the folder',
      SVC_CACHE_TTL_S: '60',
      SVC_CACHE_TENANT_BYTES: '1073741824',
    })
  })

  test('has the bounds on schemas that were set, and no others', () => {
    const settings = readSettings({ SVC_SCHEMA_COMPILE_MS: '100', SVC_SCHEMA_BYTES: '32768' })
    const environment = workerEnvironment(settings, 'the key')
    expect(Object.entries(environment).filter(([name]) => name.startsWith('SVC_SCHEMA'))).toEqual([
      ['SVC_SCHEMA_BYTES', '32768'],
      ['SVC_SCHEMA_COMPILE_MS', '100'],
    ])
  })

  test('has the secret that was given, and no Redis where none is', () => {
    const SVC_CACHE_SECRET = 'given by the operator'
    const environment = workerEnvironment(readSettings({ SVC_CACHE_SECRET }), 'of the folder')
    expect(environment).toMatchObject({ SVC_CACHE_SECRET })
    expect(environment).not.toHaveProperty('REDIS_URL')
  })

  test('keeps secrets off the command line', () => {
    const words = argumentsOf({ REDIS_URL, SVC_CACHE_SECRET: 'given by the operator' })
    expect(words).not.toMatch(/changeit|given by/)
  })
})
