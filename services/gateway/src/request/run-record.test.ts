import type { GenerateEvent, WorkerMeter } from '@svc/contracts/worker/protocol'
import { expect, test } from 'vitest'
import { RunRecord } from './run-record.ts'

const METER: WorkerMeter = {
  inputTokens: 3,
  cachedInputTokens: 0,
  outputTokens: 1,
  reasoningTokens: 0,
  workerId: 'w',
  cache: {
    schedule: null,
    reusedTokens: 0,
    blocks: 0,
    source: 'none',
    lastBlockHash: null,
    evaluatedTokens: 3,
  },
  latencies: { queueMs: 0, prefillMs: 0, firstTokenMs: 0, totalMs: 0 },
}
const token = (text: string, outputTokens: number): GenerateEvent => {
  return { type: 'token', text, kind: 'text', outputTokens }
}
const record = () => {
  const plan = { grammar: null, grammarFrom: 'answer' as const, callable: [], mustCall: false }
  return new RunRecord({ maxOutputTokens: 8, topLogprobs: null, stop: [], plan }, () => {})
}

test('what a worker says behind the end of a run counts for nothing', () => {
  const run = record()
  const done = { type: 'done', finishReason: 'stop', stopText: null } as const
  const parts = run.take([token('a', 1), { type: 'meter', meter: METER }, done, token('late', 2)])
  expect(parts).toEqual([{ kind: 'text', text: 'a' }])
  expect(run).toMatchObject({ finishReason: 'stop', outputTokens: 1, failure: undefined })
})

test('what a worker says behind a failure counts for nothing', () => {
  const run = record()
  const error = { type: 'error', code: 'failed', message: 'it broke' } as const
  expect(run.take([token('a', 1), error, token('late', 2)])).toHaveLength(1)
  expect([run.outputTokens, run.failure?.code]).toEqual([1, 'failed'])
})
