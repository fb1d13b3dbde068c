/**
 * A whole server with two workers and a Redis that everything happens to, under load: it changes
 * how fast answers come, and nothing else. Every request is answered, every prompt is counted
 * whole, and the books are in order.
 */
import { describeOnOwnRedis } from '@svc/testing/redis/describe-on-redis'
import { type RedisServer, startRedisServer } from '@svc/testing/redis/redis-server'
import { startRunningServer } from '@svc/testing/running-server'
import { expect, test } from 'vitest'
import { Audit } from '../torture/audit.ts'

const SPEAKERS = 3
const FAULT_MS = 1_000
const RULES = 'You answer in one word. '.repeat(60)
const PLACES = ['France', 'Italy', 'Spain', 'Norway', 'Japan', 'Peru']

const faults: readonly (readonly [string, (redis: RedisServer) => Promise<unknown>])[] = [
  ['it is emptied', (redis) => redis.flush()],
  ['it is frozen', (redis) => redis.freeze()],
  ['it goes on', (redis) => redis.thaw()],
  ['it answers late', (redis) => redis.command('CLIENT', 'PAUSE', 1_000, 'ALL')],
  ['it is full', (redis) => redis.command('CONFIG', 'SET', 'maxmemory', '1mb')],
  ['it has room again', (redis) => redis.command('CONFIG', 'SET', 'maxmemory', '0')],
  ['it is killed', (redis) => redis.kill()],
  ['it is back', (redis) => redis.restart()],
]

interface Told {
  readonly status: number
  readonly text: string
  readonly promptTokens: number
}

describeOnOwnRedis('a server whose Redis', () => {
  test('is emptied, frozen, slow, full, killed and back answers and bills on', async () => {
    await using cleanup = new AsyncDisposableStack()
    const redis = await startRedisServer({ maxmemoryPolicy: 'noeviction' })
    cleanup.defer(() => redis.close())
    const server = await startRunningServer({ SVC_WORKERS: '2', REDIS_URL: redis.url })
    const statuses = async () => (await server.operations.listWorkers()).map((each) => each.status)
    await expect.poll(statuses).toEqual(['ready', 'ready'])
    const told: Told[] = []
    let isOver = false
    const speak = async (speaker: number) => {
      for (let turn = 0; !isOver; turn += 1) {
        const place = PLACES[turn % PLACES.length]
        const content = `What is the capital of ${place}?`
        const messages = [
          { role: 'system', content: `${speaker}. ${RULES}` },
          { role: 'user', content },
        ]
        const answer = await server.chat({ messages, max_tokens: 8, temperature: 0 })
        const text = await answer.text()
        const { usage } = answer.status === 200 ? JSON.parse(text) : {}
        told.push({ status: answer.status, text, promptTokens: usage?.prompt_tokens ?? 0 })
      }
    }
    const speakers = Array.from({ length: SPEAKERS }, (_, speaker) => speak(speaker))
    for (const [_name, strike] of faults) {
      await strike(redis)
      const answered = told.length
      await new Promise((resolve) => setTimeout(resolve, FAULT_MS))
      // Under every fault somebody is answered.
      await expect.poll(() => told.length).toBeGreaterThan(answered)
    }
    isOver = true
    await Promise.all(speakers)

    expect(told.filter(({ status }) => status !== 200)).toEqual([])
    const receipts = []
    for (let after: string | undefined; ; ) {
      const query = { type: 'RequestAccepted', limit: 1_000, after }
      const { events, next } = await server.operations.listEvents(query)
      for (const { data } of events) {
        const { requestId } = data as { readonly requestId: string }
        receipts.push(await server.operations.explain({ request_id: requestId }))
      }
      if (next === null) break
      after = next
    }
    expect(receipts).toHaveLength(told.length)
    const prompts = receipts.map(({ usage }) => usage.input_tokens + usage.cached_input_tokens)
    expect(prompts.toSorted()).toEqual(told.map(({ promptTokens }) => promptTokens).toSorted())
    for (const { usage, cache } of receipts) {
      expect(cache?.evaluated_tokens).toBe(usage.input_tokens)
    }
    // A worker finds out a while after its last call that a Redis is back.
    const troubles = async () =>
      (await server.operations.listWorkers()).map(({ problem, restarts }) => [problem, restarts])
    await expect.poll(troubles).toEqual([
      [null, 0],
      [null, 0],
    ])
    expect(await new Audit().check(server.operations, [])).toEqual([])
  })
})
