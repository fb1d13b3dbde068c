/**
 * An answer of the real model that gives way at any moment, any number of times, on the one
 * sequence that others then use: its text, log probabilities, counts and end are those of an answer
 * that nobody disturbed, to the last digit.
 */
import type { GenerateEvent, GenerateRequest } from '@svc/contracts/worker/protocol'
import { demoModelPath } from '@svc/infra/demo-model/demo-model'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { Engine } from '../../engines/engine.ts'
import { startLlama } from '../../engines/llama/llama.ts'
import { makePlan } from '../../plans/answer-plan.ts'
import { openPrefixCache } from '../../prefix-cache/open-prefix-cache.ts'
import { testReuse } from '../../prefix-cache/self-test.ts'
import { hermes } from '../../prompt/families/hermes.ts'
import { TURN_MS } from '../giving-way.ts'
import { Scheduler } from '../scheduler.ts'
import { SequencePool } from '../sequences/sequence-pool.ts'

const CONTEXT_TOKENS = 1024
const RUNS = Number(process.env.SVC_PUT_ASIDE_RUNS ?? 16)
const OUTPUT_TOKENS_MAX = 40
const CACHE_BYTES = 64 * 1024 ** 2
const TEST_MS = 240_000

const family = hermes('<think>')
let engine: Engine
let pool: SequencePool
let scheduler: Scheduler
let aheadMs = 0
let requests = 0

beforeAll(async () => {
  const log = () => {}
  const started = await startLlama({
    modelPath: demoModelPath,
    contextSize: CONTEXT_TOKENS,
    contextSizeMax: CONTEXT_TOKENS,
    sequences: 1,
    threads: 1,
    gpu: 'off',
    log,
  })
  engine = started.engine
  const nowMs = () => performance.now() + aheadMs
  const settings = { on: true, bytes: CACHE_BYTES, secret: 'a secret', redis: null }
  const reuse = await testReuse(engine, nowMs)
  const opened = openPrefixCache({ settings, engine, reuse, fingerprint: 'f', log, nowMs })
  expect(opened.putsAside).toBe(true)
  pool = new SequencePool({
    engine,
    cache: opened.cache,
    canPutAside: opened.putsAside,
    readsAnswers: true,
    nowMs: () => performance.now(),
  })
  scheduler = new Scheduler({
    engine,
    pool,
    family,
    log,
    nowMs,
    cache: opened.cache,
    workerId: 'w',
    queueLimit: 100,
    tenantQueueLimit: 100,
    randomSeed: () => 1,
    onBroken: (error) => {
      throw error
    },
  })
})

afterAll(() => engine.dispose())

const sampling = fc.record({
  temperature: fc.constantFrom(0, 0.7, 1.3),
  topP: fc.constantFrom(1, 0.9),
  topK: fc.constantFrom(0, 40),
  minP: fc.constantFrom(0, 0.02),
  seed: fc.nat(2 ** 32 - 1),
  frequencyPenalty: fc.constantFrom(0, 0.5),
  presencePenalty: fc.constantFrom(0, 1),
  repetitionPenalty: fc.constantFrom(1, 1.1),
})
const city = {
  type: 'object',
  properties: { city: { type: 'string' }, people: { type: 'integer' } },
  required: ['city', 'people'],
}
const outputFormat = fc.constantFrom(
  { type: 'text' as const },
  { type: 'json' as const },
  { type: 'json_schema' as const, schema: city },
)
const asked = fc.record({
  sampling,
  outputFormat,
  thinking: fc.boolean(),
  /** Repeats a sentence: prompts of less than a block and of several. */
  sentences: fc.constantFrom(1, 30),
  maxOutputTokens: fc.integer({ min: 5, max: OUTPUT_TOKENS_MAX }),
  topLogprobs: fc.constantFrom(null, 3),
  stop: fc.constantFrom([], ['e ', '"p']),
  /** Whether it may end before its limit. */
  mayEnd: fc.boolean(),
})
type Asked = typeof asked extends fc.Arbitrary<infer Value> ? Value : never

function requestOf(tenant: string, one: Asked): GenerateRequest {
  const { vocabulary } = engine
  const { outputFormat: format, thinking: thinks, sentences, mayEnd, stop, ...fields } = one
  const text = 'Mira the fox lives in a small town near a river. '.repeat(sentences)
  const prompt = `<|im_start|>user\n${text}Tell me about the town.<|im_end|>\n<|im_start|>assistant\n`
  const thinking = { enabled: thinks, effort: 'medium' as const, budgetTokens: thinks ? 6 : null }
  requests += 1
  return {
    requestId: `r${requests}`,
    tenant,
    weight: 1,
    fingerprint: 'f',
    timeLimitMs: TEST_MS,
    tokens: vocabulary.tokenize(prompt, true, false),
    plan: makePlan(family, { toolUse: null, outputFormat: format, thinking }),
    thinking,
    logitBias: mayEnd ? [] : [[vocabulary.tokenize('<|im_end|>', true, true)[0] ?? 0, -100]],
    ...fields,
    stop: [...stop],
  }
}

/** @param onEvent is told the number of each event, from 1 on */
async function run(request: GenerateRequest, onEvent: (count: number) => void = () => {}) {
  const events: GenerateEvent[] = []
  await scheduler.submit(request, async (event) => {
    events.push(event)
    onEvent(events.length)
  })
  return events.map((event) => {
    if (event.type !== 'meter') return event
    const { latencies: _, cache, ...counts } = event.meter
    const { lastBlockHash: __, ...evidence } = cache
    return { ...counts, ...evidence }
  })
}

it(
  'an answer that gives way is the answer that nobody disturbed',
  async () => {
    const putAside = vi.spyOn(pool, 'putAside')
    // In hundredths of the longest answer: of later moments than its last there is nothing to see.
    const moments = fc.uniqueArray(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 6 })
    let pairs = 0
    await fc.assert(
      fc.asyncProperty(asked, asked, moments, async (one, other, hundredths) => {
        pairs += 1
        const disturbedAt = hundredths.map((at) => Math.floor((at * one.maxOutputTokens) / 100))
        // Tenants of their own: nobody finds blocks of another.
        const expected = await run(requestOf(`undisturbed-${pairs}`, one))
        const short = { ...other, maxOutputTokens: 5 }
        const othersExpected = await run(requestOf(`others-undisturbed-${pairs}`, short))
        const others: Promise<unknown>[] = []
        const disturb = () => {
          aheadMs += TURN_MS
          others.push(run(requestOf(`others-${pairs}-${others.length}`, short)))
        }
        const given = run(requestOf(`disturbed-${pairs}`, one), (count) => {
          if (disturbedAt.includes(count)) disturb()
        })
        if (disturbedAt.includes(0)) disturb()
        expect(await given).toEqual(expected)
        for (const each of await Promise.all(others)) expect(each).toEqual(othersExpected)
      }),
      { numRuns: RUNS },
    )
    // Some answers end before they are disturbed: that half of them are is proof enough.
    expect(putAside.mock.calls.length).toBeGreaterThan(RUNS / 2)
    await expect.poll(() => pool.idle).toBe(1)
    expect(pool.copies.counts).toMatchObject({ requests: 0, bytes: 0 })
    expect(pool.copies.counts.total).toBe(putAside.mock.calls.length)
    expect(scheduler.state()).toMatchObject({ queued: 0, running: 0, meterMismatches: 0 })
  },
  TEST_MS,
)
