import { availableParallelism } from 'node:os'
import { describe, expect, it } from 'vitest'
import { readSettings } from './worker-settings.ts'

const secret = 'a secret of many characters'

describe('the settings of a worker', () => {
  it('default to the demo model on one thread with eight sequences', () => {
    expect(readSettings(['--socket', '/tmp/w.sock'], {})).toMatchObject({
      listen: { socketPath: '/tmp/w.sock' },
      engine: { model: 'demo', contextSize: null, sequences: 8, threads: 1 },
      queueLimit: 256,
      tenantQueueLimit: 64,
      supervised: false,
      secret: null,
    })
  })

  it('let another model use all cores but one, all where asked to, and never more', () => {
    const cores = availableParallelism()
    const settings = readSettings(['--socket', 's', '--model', 'm.gguf'], {})
    expect(settings.engine.threads).toBe(Math.max(1, cores - 1))
    const asking = (threads: number) =>
      readSettings(['--socket', 's', '--model', 'm.gguf', '--threads', String(threads)], {})
    expect(asking(cores).engine.threads).toBe(cores)
    expect(() => asking(cores + 1)).toThrow(/--threads \d+ is too many/)
  })

  it('are none that other programs have in their environment', () => {
    const others = {
      port: '4000',
      host: '0.0.0.0',
      queue: 'print',
      drained: 'yes',
      chosenGpu: '{}',
    }
    const argv = ['--socket', 's', '--worker-id', 'w']
    const { cache: _, ...settings } = readSettings(argv, others)
    const { cache: __, ...plain } = readSettings(argv, {})
    expect(settings).toEqual(plain)
  })

  it('need a secret for TCP', () => {
    expect(() => readSettings(['--port', '0'], {})).toThrow(/SVC_WORKER_SECRET/)
    expect(() => readSettings(['--port', '0'], { SVC_WORKER_SECRET: 'short' })).toThrow(/16/)
    expect(readSettings(['--port', '0'], { SVC_WORKER_SECRET: secret }).listen).toEqual({ port: 0 })
  })

  it('name another address than the loopback for TCP only', () => {
    const environment = { SVC_WORKER_SECRET: secret }
    const { listen } = readSettings(['--port', '1', '--host', '0.0.0.0'], environment)
    expect(listen).toEqual({ port: 1, host: '0.0.0.0' })
    const bracketed = readSettings(['--port', '1', '--host', '[::1]'], environment)
    expect(bracketed.listen).toEqual({ port: 1, host: '::1' })
  })

  it.each([
    [[], /either --socket PATH or --port N/],
    [['--socket', 's', '--port', '1'], /either --socket PATH or --port N/],
    [['--socket', 's', '--host', '0.0.0.0'], /--host goes with --port/],
    [['--socket', 's', '--sequences', '0'], /--sequences must be a whole number from 1 to 256/],
    [['--socket', 's', '--context-size', '1e3'], /--context-size must be a whole number/],
    [['--socket', 's', '--unknown'], /--unknown/],
  ])('refuse %j in one line', (argv, message) => {
    expect(() => readSettings(argv, {})).toThrow(message)
  })
})

describe('a setting that an option leaves out', () => {
  it('comes from the variable that the server knows too', () => {
    const environment = { SVC_MODEL: 'm.gguf', SVC_CONTEXT_SIZE: '1024', SVC_CACHE: 'off' }
    expect(readSettings(['--socket', 's', '--model', 'n.gguf'], environment)).toMatchObject({
      engine: { model: 'n.gguf', contextSize: 1024 },
      cache: { on: false },
    })
  })

  it.each([
    [{ SVC_SEQUENCES: '0' }, /^SVC_SEQUENCES: must be a whole number from 1 to 256$/],
    [{ SVC_GPU: 'on' }, /^SVC_GPU: must be one of off, auto, cuda, vulkan, metal$/],
    [{ REDIS_URL: 'http://:changeit@host' }, /^REDIS_URL: it must be written as/],
  ])('is refused by its name: %j', (environment, message) => {
    const read = () => readSettings(['--socket', 's'], environment)
    expect(read).toThrow(message)
    expect(read).not.toThrow(/changeit/)
  })
})
