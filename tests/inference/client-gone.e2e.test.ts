/**
 * The client leaves, with the real worker behind the real server: the worker stops within a second,
 * and what it had made until then is charged, to the token.
 */
import type { Receipt } from '@svc/contracts/wire/billing'
import { WorkerClient } from '@svc/testing/protocol-client'
import { type RunningServer, startRunningServer, workerOf } from '@svc/testing/running-server'
import { StreamReader } from '@svc/testing/stream-reader'
import { describe, expect, test } from 'vitest'
import { Audit } from '../torture/audit.ts'
import { longAnswer, longPrompt } from './conversations.ts'

const CANCELLED_WITHIN_MS = 1_000
/** For what is no promise: the machine that runs the tests may be busy. */
const PATIENCE_MS = 20_000

describe.skipIf(process.platform !== 'linux')('clients of the real server that leave', () => {
  test('while their prompts are computed: the worker stops, and the chunks are charged', async () => {
    const server = await startRunningServer()
    const worker = new WorkerClient(workerOf(server.process))
    const leave = new AbortController()
    const answers = [
      server.chat({ ...longPrompt('whole'), stream: false }, leave.signal),
      server.chat({ ...longPrompt('streamed'), stream: true }, leave.signal),
    ]
    await expectRunning(worker, 2)

    leave.abort()
    expect((await Promise.allSettled(answers)).map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
    ])
    await expectIdle(worker)

    const receipts = await expectCharged(server, worker, 2)
    for (const { usage, status, reason } of receipts) {
      expect([status, reason]).toEqual(['stopped', 'metered_until_cancelled'])
      expect(usage.output_tokens).toBe(0)
      expect(usage.input_tokens % 64).toBe(0)
      expect(usage.input_tokens).toBeLessThan(3_900)
    }
  })

  test('while their answers are made: the worker stops, and the tokens are charged', async () => {
    const server = await startRunningServer()
    const worker = new WorkerClient(workerOf(server.process))
    const leave = new AbortController()
    const slowsTheOthers = server.chat(longPrompt('slow'), leave.signal)
    await expectRunning(worker, 1)
    // The whole answer is asked for first: when the other has tokens, it has some as well.
    const whole = server.chat({ ...longAnswer, stream: false }, leave.signal)
    await expectRunning(worker, 2)
    const streamed = await server.chat({ ...longAnswer, stream: true }, leave.signal)
    await new StreamReader(streamed).until('fox')

    leave.abort()
    await expect(whole).rejects.toThrow()
    await expect(slowsTheOthers).rejects.toThrow()
    await expectIdle(worker)

    const receipts = await expectCharged(server, worker, 3)
    expect(receipts.map(({ status }) => status)).toEqual(['stopped', 'stopped', 'stopped'])
    const made = receipts.map(({ usage }) => usage.output_tokens)
    expect(made[0]).toBe(0)
    expect(made[1]).toBeGreaterThan(0)
    expect(made[2]).toBeGreaterThan(0)
    expect(Math.max(...made)).toBeLessThan(60)
  })
})

async function expectRunning(worker: WorkerClient, running: number): Promise<void> {
  await expect
    .poll(() => worker.state(), { interval: 10, timeout: PATIENCE_MS })
    .toMatchObject({ running })
}

async function expectIdle(worker: WorkerClient): Promise<void> {
  await expect
    .poll(() => worker.state(), { interval: 10, timeout: CANCELLED_WITHIN_MS })
    .toMatchObject({ running: 0, queued: 0 })
}

/** The receipts, in the order of the requests: together they are exactly what the worker made. */
async function expectCharged(
  server: RunningServer,
  worker: WorkerClient,
  requests: number,
): Promise<readonly Receipt[]> {
  const { operations } = server
  const listed = async (type: string) => (await operations.listEvents({ type, limit: 10 })).events
  const metered = () => listed('TokensMetered')
  await expect.poll(metered, { timeout: PATIENCE_MS }).toHaveLength(requests)
  // Holds, sums, prices and chains are looked through by the checker of the kill test.
  expect(await new Audit().check(operations, [])).toEqual([])
  const accepted = await listed('RequestAccepted')
  const receipts: Receipt[] = []
  for (const { data } of accepted) {
    receipts.push(
      await operations.explain({ request_id: (data as { requestId: string }).requestId }),
    )
  }
  const sum = (name: keyof Receipt['usage']) =>
    receipts.reduce((total, { usage }) => total + usage[name], 0)
  expect((await worker.state()).totals).toEqual({
    inputTokens: sum('input_tokens'),
    cachedInputTokens: sum('cached_input_tokens'),
    outputTokens: sum('output_tokens'),
  })
  return receipts
}
