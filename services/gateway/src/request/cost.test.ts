import { boundedMeter } from '@svc/contracts/bounded-meter'
import { costOf, worstCase } from '@svc/contracts/price'
import { WorkerFailure } from '@svc/contracts/worker/failure'
import type { WorkerMeter } from '@svc/contracts/worker/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { costOfRun, type EndedRun } from './cost.ts'

const rates = { input: 10n, cachedInput: 1n, output: 40n }
const failure = new WorkerFailure('failed', 'broken')

function meter(fields: Partial<WorkerMeter> = {}): WorkerMeter {
  return {
    inputTokens: 20,
    cachedInputTokens: 80,
    outputTokens: 7,
    reasoningTokens: 2,
    workerId: 'wrk',
    cache: {
      schedule: 'any-token',
      reusedTokens: 0,
      blocks: 0,
      source: 'none',
      lastBlockHash: null,
      evaluatedTokens: 20,
    },
    latencies: { queueMs: 0, prefillMs: 0, firstTokenMs: 0, totalMs: 0 },
    ...fields,
  }
}

function ended(record: Partial<EndedRun['record']>, fields: Partial<EndedRun> = {}): EndedRun {
  return {
    record: {
      firstTokenAtMs: undefined,
      outputTokens: 7,
      reasoningTokens: 2,
      meter: undefined,
      finishReason: undefined,
      stopText: null,
      failure: undefined,
      ...record,
    },
    workerId: 'wrk',
    promptTokens: 100,
    maxOutputTokens: 50,
    delivered: true,
    stopReason: undefined,
    ...fields,
  }
}

describe.each(['stop', 'length'] as const)('a run that finished with %s', (finishReason) => {
  test.each([
    undefined,
    'client_gone',
    'timeout',
    'shutting_down',
    'account_frozen',
    'member_left',
  ] as const)('is metered whole, also when %s came too late', (stopReason) => {
    const run = ended({ meter: meter(), finishReason }, { stopReason })
    expect(costOfRun(run)).toEqual({
      kind: 'settle',
      meter: meter(),
      finishReason,
      rule: 'metered',
      failure: null,
    })
  })
})

describe('a run that was stopped', () => {
  test.each([
    ['client_gone', null],
    ['timeout', 'timeout'],
    ['shutting_down', 'shutting_down'],
    ['account_frozen', 'account_frozen'],
    ['member_left', 'member_left'],
  ] as const)('by %s is metered up to the acknowledgement', (stopReason, reason) => {
    const delivered = stopReason !== 'client_gone' && stopReason !== 'timeout'
    const run = ended({ meter: meter(), finishReason: 'cancelled' }, { stopReason, delivered })
    expect(costOfRun(run)).toMatchObject({
      meter: { inputTokens: 20, cachedInputTokens: 80, outputTokens: 7 },
      rule: 'metered_until_cancelled',
      failure: reason,
    })
  })
})

test.each(['shutting_down', 'account_frozen', 'member_left'] as const)(
  'a run that ended before anything was sent by %s costs nothing',
  (stopReason) => {
    const run = ended(
      { meter: meter(), finishReason: 'cancelled' },
      { stopReason, delivered: false },
    )
    expect(costOfRun(run)).toEqual({ kind: 'fail', reason: stopReason })
  },
)

describe('a run that broke', () => {
  test('before anything was sent costs nothing, metered or not', () => {
    for (const known of [undefined, meter()]) {
      const run = ended({ meter: known, failure }, { delivered: false })
      expect(costOfRun(run)).toEqual({ kind: 'fail', reason: 'worker_failed' })
    }
  })

  test('without a meter: the prompt as if cached, and the tokens that came', () => {
    expect(costOfRun(ended({ failure }))).toMatchObject({
      meter: { inputTokens: 0, cachedInputTokens: 100, outputTokens: 7, reasoningTokens: 2 },
      rule: 'delivered_before_failure',
      finishReason: 'error',
      failure: 'worker_failed',
    })
  })

  test('with a meter: its prompt, and the tokens that came', () => {
    expect(costOfRun(ended({ meter: meter({ outputTokens: 9 }), failure }))).toMatchObject({
      meter: { inputTokens: 20, cachedInputTokens: 80, outputTokens: 7 },
    })
  })

  test('after its stream began, and before any token came, costs nothing', () => {
    for (const known of [undefined, meter()]) {
      const run = ended({ meter: known, failure, outputTokens: 0, reasoningTokens: 0 })
      expect(costOfRun(run)).toEqual({ kind: 'fail', reason: 'worker_failed' })
    }
  })

  test.each(['client_gone', 'timeout', 'shutting_down'] as const)(
    'after it was stopped by %s costs what came, and nothing where nothing was sent',
    (stopReason) => {
      expect(costOfRun(ended({}, { stopReason }))).toMatchObject({
        meter: { inputTokens: 0, cachedInputTokens: 100, outputTokens: 7 },
        rule: 'delivered_before_failure',
        failure: stopReason,
      })
      for (const broken of [{}, { meter: meter(), failure }]) {
        const unsent = ended(broken, { stopReason, delivered: false })
        expect(costOfRun(unsent)).toEqual({ kind: 'fail', reason: stopReason })
      }
    },
  )

  test('by its own schema is metered whole where there is a meter, and costs nothing without', () => {
    const ofSchema = new WorkerFailure('grammar_too_costly', 'it took too long')
    const unsent = { delivered: false }
    expect(costOfRun(ended({ meter: meter(), failure: ofSchema }, unsent))).toEqual({
      kind: 'settle',
      meter: meter(),
      finishReason: 'error',
      rule: 'metered',
      failure: 'schema_too_costly',
    })
    expect(costOfRun(ended({ failure: ofSchema }, unsent))).toEqual({
      kind: 'fail',
      reason: 'worker_failed',
    })
  })

  test('because no worker takes it says that it was refused', () => {
    const refused = new WorkerFailure('bad_request', 'no such field')
    const run = ended({ failure: refused }, { delivered: false })
    expect(costOfRun(run)).toEqual({ kind: 'fail', reason: 'refused' })
  })

  test('a worker that stops by itself has broken the run', () => {
    const run = ended({ meter: meter(), finishReason: 'cancelled' })
    expect(costOfRun(run)).toMatchObject({ rule: 'delivered_before_failure' })
  })
})

test('no charge is above the worst case, nor above what the worker claims, once it is bounded', () => {
  const count = fc.nat(300)
  const claim = fc.record({ inputTokens: count, cachedInputTokens: count, outputTokens: count })
  const end = fc.constantFrom('stop', 'length', 'cancelled', 'error', undefined)
  const stop = fc.constantFrom(
    'client_gone',
    'timeout',
    'shutting_down',
    'account_frozen',
    'member_left',
    undefined,
  )
  fc.assert(
    fc.property(
      claim,
      end,
      stop,
      fc.boolean(),
      fc.nat(50),
      (counts, finishReason, why, sent, came) => {
        const record = { meter: meter(counts), finishReason, outputTokens: came }
        const settlement = costOfRun(ended(record, { stopReason: why, delivered: sent }))
        if (settlement.kind === 'fail') return
        const bounded = boundedMeter(settlement.meter, { promptTokens: 100, maxOutputTokens: 50 })
        const cost = costOf(rates, bounded)
        expect(cost <= worstCase(rates, 100, 50)).toBe(true)
        expect(cost <= costOf(rates, counts)).toBe(true)
      },
    ),
  )
})
