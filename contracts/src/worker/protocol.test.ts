import { describe, expect, test } from 'vitest'
import type { ZodType } from 'zod'
import {
  auditRequest,
  auditResponse,
  cancelRequest,
  cancelResponse,
  drainRequest,
  generateEvent,
  generateRequest,
  healthResponse,
  prepareRequest,
  prepareResponse,
  sampling,
  stateResponse,
  workerError,
  workerErrorCodes,
} from './protocol.ts'

const plainSampling = {
  temperature: 0.7,
  topP: 1,
  topK: 0,
  minP: 0,
  seed: null,
  frequencyPenalty: 0,
  presencePenalty: 0,
  repetitionPenalty: 1,
}
const plan = {
  grammar: 'root ::= "a"\n',
  grammarFrom: 'tool_call',
  callable: ['look'],
  mustCall: false,
}
const prepared = {
  tokens: [0],
  fingerprint: 'f',
  contextSize: 1,
  maxOutputTokens: -5,
  plan,
  blocks: ['b'],
}
const generation = {
  requestId: 'req_1',
  tenant: 'acct_1',
  weight: 1,
  tokens: [1, 2, 3],
  fingerprint: 'f',
  thinking: { enabled: true, effort: 'low', budgetTokens: 1_024 },
  plan,
  maxOutputTokens: 16,
  sampling: plainSampling,
  logitBias: [[7, -100]],
  topLogprobs: 5,
  stop: ['\n\n'],
  timeLimitMs: 60_000,
}
const meter = {
  inputTokens: 3,
  cachedInputTokens: 128,
  outputTokens: 5,
  reasoningTokens: 0,
  workerId: 'wrk_1',
  cache: {
    schedule: 'any-token',
    reusedTokens: 32,
    blocks: 1,
    source: 'l1',
    lastBlockHash: 'h',
    evaluatedTokens: 3,
  },
  latencies: { queueMs: 0, prefillMs: 1.5, firstTokenMs: null, totalMs: 2 },
}

const tier = {
  blocks: 1,
  bytes: 2,
  bytesMax: 3,
  evictions: 4,
  hits: 5,
  misses: 6,
  writes: 7,
  refused: 8,
  failures: 9,
  corrupt: 10,
}

const examples: readonly (readonly [string, ZodType, unknown])[] = [
  [
    'health',
    healthResponse,
    {
      status: 'ready',
      workerId: 'wrk_1',
      fingerprint: 'f',
      modelName: 'demo',
      toy: true,
      contextSize: 2048,
      threads: 1,
      cpuVariant: 'avx2',
      instanceId: 'wrk_1/7',
      device: 'cuda',
      gpu: 'NVIDIA H200',
      gpuProblem: null,
      cache: { mode: 'on', schedule: 'any-token', reason: null, tiers: ['l1', 'l2'] },
      cacheProblem: 'Redis at 10.0.0.7:6379 is not connected',
      load: { queued: 0, running: 1, sequences: 4 },
    },
  ],
  [
    'state',
    stateResponse,
    {
      queued: 0,
      running: 1,
      sequences: 4,
      ended: 9,
      totals: { inputTokens: 1e12, cachedInputTokens: 0, outputTokens: 2 },
      cache: {
        lookups: 3,
        hits: 2,
        reusedTokens: { l1: 256, l2: 128 },
        waits: 1,
        notWorthFetching: 0,
        restoreFailures: 0,
        answerTokensRead: 64,
        l1: tier,
        l2: null,
      },
      batches: { prompt: 9, promptTokens: 1_000, decode: 40, decodeTokens: 160 },
      putAside: { total: 3, requests: 1, bytes: 65_536 },
      meterMismatches: 0,
    },
  ],
  [
    'prepare request',
    prepareRequest,
    {
      tenant: 'acct_1',
      messages: [
        { role: 'user', content: 'hé' },
        {
          role: 'assistant',
          content: '',
          reasoning: 'hm',
          toolCalls: [{ id: 'c', name: 'look', arguments: '{' }],
        },
        { role: 'tool', content: '', toolCallId: 'c', name: 'look' },
      ],
      thinking: { enabled: false, effort: 'low', budgetTokens: null },
      toolUse: {
        tools: [{ name: 'look', parameters: { type: 'object' } }],
        choice: 'required',
        callable: ['look'],
        parallel: false,
      },
      outputFormat: { type: 'json_schema', schema: { type: 'array' } },
    },
  ],
  ['prepare answer that does not fit', prepareResponse, prepared],
  ['generate request', generateRequest, generation],
  ['token', generateEvent, { type: 'token', text: 'é\u2028', kind: 'text', outputTokens: 1 }],
  [
    'token with its likelihood',
    generateEvent,
    {
      type: 'token',
      text: 'a',
      kind: 'text',
      outputTokens: 1,
      logprobs: [
        {
          token: 'a',
          bytes: [97],
          logprob: -0.5,
          top: [{ token: '\ufffd', bytes: null, logprob: -1 }],
        },
      ],
    },
  ],
  ['call of a tool', generateEvent, { type: 'tool_call', name: 'look', outputTokens: 2 }],
  ['meter', generateEvent, { type: 'meter', meter }],
  ['done', generateEvent, { type: 'done', finishReason: 'stop', stopText: null }],
  ['error', generateEvent, { type: 'error', code: 'failed', message: 'the worker failed' }],
  ['cancel request', cancelRequest, { requestId: 'req_1' }],
  ['cancel answer', cancelResponse, { requestId: 'req_1', found: true }],
  ['drain request', drainRequest, { draining: true }],
  ['audit request', auditRequest, { sample: 100 }],
  [
    'audit answer',
    auditResponse,
    {
      workerId: 'wrk_1',
      checked: { l1: 3, l2: 2 },
      gone: 1,
      differing: [{ name: 'b', tier: 'l2' }],
    },
  ],
]

describe('a message of the worker protocol', () => {
  test.each(examples)('%s goes through JSON on one line unchanged', (_name, schema, message) => {
    const line = JSON.stringify(message)
    expect(line).not.toContain('\n')
    expect(schema.parse(JSON.parse(line))).toEqual(message)
  })

  test('a worker of an older version tells nothing of its GPU and of Redis', () => {
    const [, schema, health] = examples.find(([name]) => name === 'health') ?? []
    const {
      gpu: _,
      gpuProblem: __,
      cacheProblem: ___,
      ...older
    } = health as Record<string, unknown>
    expect(schema?.parse(older)).toEqual({
      ...older,
      gpu: null,
      gpuProblem: null,
      cacheProblem: null,
    })
  })

  test.each(workerErrorCodes)('error %s goes through JSON unchanged', (code) => {
    const answer = { error: { code, message: 'm' } }
    expect(workerError.parse(JSON.parse(JSON.stringify(answer)))).toEqual(answer)
  })
})

describe('a bad message is refused', () => {
  test.each([
    ['a fraction of a token', { ...meter, outputTokens: 1.5 }],
    ['a negative count', { ...meter, inputTokens: -1 }],
    ['a count beyond all sense', { ...meter, inputTokens: 2e9 }],
    ['no count', { ...meter, outputTokens: undefined }],
    ['a latency that is no number', { ...meter, latencies: { ...meter.latencies, totalMs: null } }],
  ])('meter with %s', (_name, bad) => {
    expect(generateEvent.safeParse({ type: 'meter', meter: bad }).success).toBe(false)
  })

  test.each([
    ['no tokens', { tokens: [] }],
    ['half a token', { tokens: [1, 0.5] }],
    ['a token that is none', { tokens: [1, -1] }],
    ['a text among its tokens', { tokens: [1, '2'] }],
    ['no room for output', { maxOutputTokens: 0 }],
    ['an empty stop text', { stop: [''] }],
    ['seventeen stop texts', { stop: Array(17).fill('x') }],
    ['no time limit', { timeLimitMs: undefined }],
  ])('generate request with %s', (_name, change) => {
    expect(generateRequest.safeParse({ ...generation, ...change }).success).toBe(false)
  })

  test('a long list of wrong tokens is one mistake, not one for each of them', () => {
    const tokens = Array(100_000).fill('wrong')
    expect(prepareResponse.safeParse({ ...prepared, tokens }).error?.issues).toHaveLength(1)
  })

  test('sampling that leaves a choice to the runtime', () => {
    for (const field of Object.keys(plainSampling)) {
      const { [field as keyof typeof plainSampling]: _, ...rest } = plainSampling
      expect(sampling.safeParse(rest).success).toBe(false)
    }
  })

  test('an event of an unknown type', () => {
    expect(generateEvent.safeParse({ type: 'tokens', text: '' }).success).toBe(false)
  })
})
