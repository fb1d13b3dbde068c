import { COLD, outcome, system, user, WorkerClient } from '@svc/testing/protocol-client'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Supervised, superviseWorker } from '../src/supervision/supervisor.ts'

const CAPITAL = [user('What is the capital city of Norway?')]
const STORY = [user('Write a short story about a fox named Mira')]
/** More than 256 tokens. */
const LONG_SYSTEM = system(
  'You are a friendly assistant of a small library. The library opens at nine. '.repeat(12),
)

type Value<T> = T extends fc.Arbitrary<infer V> ? V : never

let supervised: Supervised
let worker: WorkerClient

beforeAll(async () => {
  supervised = superviseWorker({
    workerId: 'worker-test',
    modelArguments: ['--model', 'demo', '--sequences', '4'],
    log: () => {},
  })
  await supervised.ready()
  worker = new WorkerClient(supervised.address)
})

afterAll(async () => {
  await supervised.stop(5000)
})

describe('whatever happens to requests', () => {
  const prompts = [
    CAPITAL,
    STORY,
    [LONG_SYSTEM, user('What is the capital city of Norway?')],
    [LONG_SYSTEM, user('Tell me a joke')],
  ]
  const someRequest = fc.record({
    tenant: fc.constantFrom('p', 'q', 'r'),
    prompt: fc.nat(prompts.length - 1),
    maxOutputTokens: fc.integer({ min: 1, max: 60 }),
    temperature: fc.constantFrom(0, 1),
    stop: fc.constantFrom<string[]>([], ['\n'], ['the ', 'Oslo']),
    cancelAfterTokens: fc.option(fc.nat(20)),
  })

  const run = async (asked: Value<typeof someRequest>) => {
    const { prompt, temperature, cancelAfterTokens, ...changes } = asked
    const sampling = { ...COLD, temperature }
    const request = await worker.request(prompts[prompt] ?? CAPITAL, { ...changes, sampling })
    const stream = await worker.open(request)
    if (cancelAfterTokens === 0) await worker.cancel(request.requestId)
    const watched = (async function* () {
      for await (const event of stream.events) {
        yield event
        const tokens = event.type === 'token' ? event.outputTokens : 0
        if (tokens === cancelAfterTokens) void worker.cancel(request.requestId)
      }
    })()
    return { request, ...(await outcome(watched)) }
  }

  it('every meter is true to its stream, and all of them add up', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(someRequest, { minLength: 1, maxLength: 8 }), async (asked) => {
        const before = (await worker.state()).totals
        const outcomes = await Promise.all(asked.map(run))
        const after = (await worker.state()).totals
        const sum = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 }
        for (const { request, meter, last, outputTokens } of outcomes) {
          if (meter === undefined || last?.type !== 'done') throw new Error('no regular end')
          expect(meter.outputTokens).toBe(outputTokens)
          expect(meter.outputTokens).toBeLessThanOrEqual(request.maxOutputTokens)
          expect(meter.cache.evaluatedTokens).toBe(meter.inputTokens)
          expect(meter.cache.reusedTokens).toBe(meter.cachedInputTokens)
          if (last.finishReason !== 'cancelled' || outputTokens > 0) {
            expect(meter.inputTokens + meter.cachedInputTokens).toBe(request.tokens.length)
          }
          sum.inputTokens += meter.inputTokens
          sum.cachedInputTokens += meter.cachedInputTokens
          sum.outputTokens += meter.outputTokens
        }
        expect(sum).toEqual({
          inputTokens: after.inputTokens - before.inputTokens,
          cachedInputTokens: after.cachedInputTokens - before.cachedInputTokens,
          outputTokens: after.outputTokens - before.outputTokens,
        })
      }),
      { numRuns: 15 },
    )
  })
})
