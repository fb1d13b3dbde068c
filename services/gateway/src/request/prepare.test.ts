import { WorkerFailure } from '@svc/contracts/worker/failure'
import { describe, expect, test } from 'vitest'
import { parseChatRequest } from '../formats/chat/parse.ts'
import type { WorkerPool } from '../routing/worker-pool.ts'
import { countPrompt, preparePrompt } from './prepare.ts'

const messages = [{ role: 'user', content: 'hello' }]
const TENANT = 'acct_of_the_caller'
/** Nothing stops it. */
const NEVER = new AbortController().signal
const { request } = parseChatRequest({ model: 'svc-beta', messages })

const portsOf = (workers: WorkerPool) => ({ workers, warnings: { warn: () => {} } })

const unreachable = (code: string) =>
  new WorkerFailure('unreachable', 'no answer', { cause: Object.assign(new Error(code), { code }) })

/** A pool whose workers refuse, one after the other. */
function poolThat(...failures: readonly WorkerFailure[]) {
  let asked = 0
  const prepare = () => Promise.reject(failures[Math.min(asked++, failures.length - 1)])
  const worker = { health: { contextSize: 256 }, client: { prepare } }
  return {
    pool: { pick: () => ({ worker, release: () => {}, note: () => {} }) } as unknown as WorkerPool,
    asked: () => asked,
  }
}

describe('a worker that was started again with another model', () => {
  const started = (fingerprint: string, toy: boolean, prepares = fingerprint) => {
    const prepared = { tokens: [1], fingerprint: prepares, contextSize: 256, maxOutputTokens: 255 }
    return { health: { fingerprint, toy }, client: { prepare: async () => prepared } }
  }
  function poolOf(...workers: readonly ReturnType<typeof started>[]): WorkerPool {
    let picked = 0
    const pick = () => ({
      worker: workers[picked++ % workers.length],
      release: () => {},
      note: () => {},
    })
    return { pick } as unknown as WorkerPool
  }

  test.each([true, false])(
    'prepares nothing at the price of its earlier one, which was bundled: %s',
    async (toy) => {
      const pool = poolOf(started('first', toy, 'second'), started('second', !toy))
      expect(await preparePrompt(portsOf(pool), TENANT, request, NEVER)).toMatchObject({
        fingerprint: 'second',
        onBundledModel: !toy,
      })
    },
  )

  test('and is the only one: 503, ask again', async () => {
    const pool = poolOf(started('first', true, 'second'))
    await expect(preparePrompt(portsOf(pool), TENANT, request, NEVER)).rejects.toMatchObject({
      code: 'server_is_overloaded',
      retryAfterSeconds: 1,
    })
  })
})

describe('a worker that refuses to prepare', () => {
  test('because its template refuses the messages: 400, and its words stay inside', async () => {
    const { pool, asked } = poolThat(
      new WorkerFailure('bad_request', 'jinja: roles alternate', { field: 'messages' }),
    )
    const refused = preparePrompt(portsOf(pool), TENANT, request, NEVER)
    await expect(refused).rejects.toMatchObject({
      code: 'invalid_value',
      param: 'messages',
      message: expect.not.stringContaining('jinja'),
    })
    expect(asked()).toBe(1)
  })

  test('because the prompt is too long: 400 with the limit', async () => {
    const promptLength = { tokens: 900, isLowerBound: true, contextSize: 256 }
    const { pool } = poolThat(new WorkerFailure('prompt_too_long', 'too long', { promptLength }))
    await expect(preparePrompt(portsOf(pool), TENANT, request, NEVER)).rejects.toMatchObject({
      code: 'context_length_exceeded',
      param: 'messages',
      message: expect.stringMatching(/ 256 tokens.* at least 900 tokens/),
      tokens: { prompt: 900, context: 256 },
    })
  })

  test.each([
    [false, 900],
    [true, null],
  ])(
    'because it does not fit: a count is told all the same (at least: %s)',
    async (isLowerBound, told) => {
      const promptLength = { tokens: 900, isLowerBound, contextSize: 256 }
      const { pool } = poolThat(new WorkerFailure('prompt_too_long', 'too long', { promptLength }))
      const counted = countPrompt(portsOf(pool), TENANT, request, NEVER).catch(({ code }) => code)
      expect(await counted).toBe(told ?? 'context_length_exceeded')
    },
  )

  test.each([
    unreachable('ECONNREFUSED'),
    unreachable('ENOENT'),
    unreachable('UND_ERR_CONNECT_TIMEOUT'),
    new WorkerFailure('queue_full', 'full'),
    new WorkerFailure('draining', 'leaving'),
    new WorkerFailure('fingerprint_mismatch', 'another model'),
  ])('first one that was sent nothing (%s), then one that says why', async (first) => {
    const { pool, asked } = poolThat(first, new WorkerFailure('prompt_too_long', 'too long'))
    const refused = preparePrompt(portsOf(pool), TENANT, request, NEVER)
    await expect(refused).rejects.toMatchObject({ code: 'context_length_exceeded' })
    expect(asked()).toBe(2)
  })

  test.each([
    // It died, or did not answer in time.
    unreachable('UND_ERR_SOCKET'),
    unreachable('UND_ERR_HEADERS_TIMEOUT'),
    unreachable('ECONNRESET'),
    new WorkerFailure('failed', 'the worker failed on this request'),
  ])('because it broke (%s): 503, and no other worker is sent it', async (broken) => {
    const { pool, asked } = poolThat(broken)
    await expect(preparePrompt(portsOf(pool), TENANT, request, NEVER)).rejects.toMatchObject({
      code: 'worker_failed',
      retryAfterSeconds: 1,
    })
    expect(asked()).toBe(1)
  })

  test('none that can be reached: 503', async () => {
    const { pool, asked } = poolThat(unreachable('ECONNREFUSED'))
    await expect(preparePrompt(portsOf(pool), TENANT, request, NEVER)).rejects.toMatchObject({
      code: 'worker_failed',
      retryAfterSeconds: 1,
    })
    expect(asked()).toBe(2)
  })
})
