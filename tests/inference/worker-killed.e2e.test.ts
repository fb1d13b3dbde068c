/**
 * The worker process is killed under a running server: the requests on it end with an honest error
 * and are charged by rule, the server lives, and a new worker serves soon.
 */
import type { Receipt } from '@svc/contracts/wire/billing'
import { startRunningServer, workerOf } from '@svc/testing/running-server'
import { StreamReader } from '@svc/testing/stream-reader'
import { expect, test } from 'vitest'
import { Audit } from '../torture/audit.ts'
import { longAnswer, longPrompt } from './conversations.ts'

const BACK_WITHIN_MS = 5_000

test.skipIf(process.platform !== 'linux')(
  'a worker that is killed with kill -9 breaks its requests and nothing else',
  async () => {
    const { process: server, operations, chat } = await startRunningServer()
    const killed = workerOf(server).pid
    const slowsTheOthers = chat(longPrompt('slow'))
    const whole = chat({ ...longAnswer, stream: false })
    const streamed = await chat({ ...longAnswer, stream: true })
    const reader = new StreamReader(streamed)
    await reader.until('fox')

    process.kill(killed, 'SIGKILL')
    const text = await reader.rest()
    expect(errorOfStream(text)).toMatchObject({ type: 'server_error', code: 'worker_failed' })
    expect(text).not.toContain('[DONE]')
    for (const broken of [await slowsTheOthers, await whole]) {
      expect([500, 503]).toContain(broken.status)
      expect(broken.headers.get('retry-after')).toMatch(/^\d+$/)
      expect(await broken.json()).toMatchObject({ error: { type: 'server_error', param: null } })
    }

    const answersAgain = async () => (await chat(longAnswer)).status
    await expect.poll(answersAgain, { timeout: BACK_WITHIN_MS, interval: 100 }).toBe(200)
    expect(workerOf(server).pid).not.toBe(killed)
    expect((await operations.status()).workers).toMatchObject([{ status: 'ready', restarts: 1 }])

    const streamedId = streamed.headers.get('x-request-id') ?? ''
    const delivered = await operations.explain({ request_id: streamedId })
    expect(delivered).toMatchObject({
      status: 'failed',
      reason: 'delivered_before_failure: worker_failed',
    })
    // Nobody can say any more how much of the prompt was computed: it is charged as cached.
    expect(delivered.usage.input_tokens).toBe(0)
    expect(delivered.usage.output_tokens).toBeGreaterThan(0)
    const { events: failed } = await operations.listEvents({ type: 'RequestFailed', limit: 10 })
    const receipts: Receipt[] = []
    for (const { data } of failed) {
      receipts.push(
        await operations.explain({ request_id: (data as { requestId: string }).requestId }),
      )
    }
    const undelivered = receipts.filter(({ id }) => id !== streamedId)
    expect(undelivered.map(({ amount }) => amount)).toEqual(['0.00', '0.00'])
    expect(await new Audit().check(operations, [])).toEqual([])
  },
)

function errorOfStream(text: string): unknown {
  const line = text.split('\n').find((part) => part.startsWith('data: {"error"'))
  return line === undefined ? text : JSON.parse(line.slice('data: '.length)).error
}
