import { describe, expect, test } from 'vitest'
import { parseChatRequest } from './formats/chat/parse.ts'
import { preparePrompt } from './prepare-prompt.ts'
import { WorkerFailure } from './routing/worker-failure.ts'
import type { WorkerPool } from './routing/worker-pool.ts'

const messages = [{ role: 'user', content: 'hello' }]
const TENANT = 'acct_of_the_caller'
const { request } = parseChatRequest({ model: 'svc-beta', messages })

/** A pool whose workers refuse, one after the other. */
function poolThat(...failures: readonly WorkerFailure[]) {
  let asked = 0
  const prepare = () => Promise.reject(failures[Math.min(asked++, failures.length - 1)])
  const worker = { health: { contextSize: 256 }, client: { prepare } }
  return { pool: { pick: () => worker } as unknown as WorkerPool, asked: () => asked }
}

describe('a worker that refuses to prepare', () => {
  test('because its template refuses the messages: 400, and its words stay inside', async () => {
    const { pool, asked } = poolThat(new WorkerFailure('bad_request', 'jinja: roles alternate'))
    const refused = preparePrompt(pool, TENANT, request)
    await expect(refused).rejects.toMatchObject({
      code: 'invalid_value',
      param: 'messages',
      message: expect.not.stringContaining('jinja'),
    })
    expect(asked()).toBe(1)
  })

  test('because the prompt is too long: 400 with the limit', async () => {
    const { pool } = poolThat(new WorkerFailure('prompt_too_long', 'too long'))
    await expect(preparePrompt(pool, TENANT, request)).rejects.toMatchObject({
      code: 'context_length_exceeded',
      param: 'messages',
      message: expect.stringContaining('256 tokens'),
    })
  })

  test('first one broken, then one that says why: what the second says', async () => {
    const { pool, asked } = poolThat(
      new WorkerFailure('unreachable', 'gone'),
      new WorkerFailure('prompt_too_long', 'too long'),
    )
    const refused = preparePrompt(pool, TENANT, request)
    await expect(refused).rejects.toMatchObject({ code: 'context_length_exceeded' })
    expect(asked()).toBe(2)
  })

  test('both broken: 503', async () => {
    const { pool } = poolThat(new WorkerFailure('unreachable', 'gone'))
    await expect(preparePrompt(pool, TENANT, request)).rejects.toMatchObject({
      code: 'worker_failed',
      retryAfterSeconds: 1,
    })
  })
})
