import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { costOf } from '../price.ts'
import type { TokenCounts } from '../tokens.ts'
import type { WorkerMeter } from '../worker/protocol.ts'
import { type AcceptedTokens, boundedMeter, isImplausible } from './bounded-meter.ts'

const MOST = 6

const count = fc.nat(MOST)
const claims: fc.Arbitrary<WorkerMeter> = fc
  .record({
    inputTokens: count,
    cachedInputTokens: count,
    outputTokens: count,
    reasoningTokens: count,
  })
  .map((counts) => ({
    ...counts,
    workerId: 'wrk',
    cache: {
      schedule: 'any-token',
      reusedTokens: 0,
      blocks: 0,
      source: 'none',
      lastBlockHash: null,
      evaluatedTokens: 0,
    },
    latencies: { queueMs: 0, prefillMs: 0, firstTokenMs: 0, totalMs: 0 },
  }))
const acceptances = fc.record({ promptTokens: count, maxOutputTokens: count })
const prices = fc
  .record({ cachedInput: fc.bigInt(0n, 3n), more: fc.bigInt(0n, 3n), output: fc.bigInt(0n, 3n) })
  .map(({ cachedInput, more, output }) => ({ input: cachedInput + more, cachedInput, output }))

/**
 * Every triple that the claim allows: no class above its claim, and prompt and output as long as
 * they are claimed to be, but no longer than what was accepted.
 */
function readings(claim: TokenCounts, accepted: AcceptedTokens): TokenCounts[] {
  const prompt = Math.min(claim.inputTokens + claim.cachedInputTokens, accepted.promptTokens)
  const output = Math.min(claim.outputTokens, accepted.maxOutputTokens)
  const upTo = (most: number) => Array.from({ length: most + 1 }, (_, tokens) => tokens)
  return upTo(claim.inputTokens)
    .flatMap((inputTokens) =>
      upTo(claim.cachedInputTokens).flatMap((cachedInputTokens) =>
        upTo(claim.outputTokens).map((outputTokens) => ({
          inputTokens,
          cachedInputTokens,
          outputTokens,
        })),
      ),
    )
    .filter(
      ({ inputTokens, cachedInputTokens, outputTokens }) =>
        inputTokens + cachedInputTokens === prompt && outputTokens === output,
    )
}

describe('the bounded meter', () => {
  test('is the cheapest reading that the claim allows: all of them tried', () => {
    fc.assert(
      fc.property(claims, acceptances, prices, (claim, accepted, rates) => {
        const bounded = boundedMeter(claim, accepted)
        const { inputTokens, cachedInputTokens, outputTokens } = bounded
        const all = readings(claim, accepted)
        expect(all).toContainEqual({ inputTokens, cachedInputTokens, outputTokens })
        const cost = costOf(rates, bounded)
        expect(all.every((reading) => cost <= costOf(rates, reading))).toBe(true)
        expect(bounded.reasoningTokens).toBe(Math.min(claim.reasoningTokens, outputTokens))
      }),
      { numRuns: 2_000 },
    )
  })

  test('is what the worker said, evidence and all, wherever that can be true', () => {
    let implausible = 0
    fc.assert(
      fc.property(claims, acceptances, (claim, accepted) => {
        const canBeTrue =
          claim.inputTokens + claim.cachedInputTokens <= accepted.promptTokens &&
          claim.outputTokens <= accepted.maxOutputTokens &&
          claim.reasoningTokens <= claim.outputTokens
        expect(isImplausible(claim, accepted)).toBe(!canBeTrue)
        if (canBeTrue) expect(boundedMeter(claim, accepted)).toEqual(claim)
        else implausible += 1
        const again = boundedMeter(claim, accepted)
        expect(boundedMeter(again, accepted)).toEqual(again)
      }),
      { numRuns: 2_000 },
    )
    expect(implausible).toBeGreaterThan(0)
  })

  test('of a prompt of 100 claimed as 100 computed and 60 cached bills 40 and 60', () => {
    const [claim] = fc.sample(claims, 1)
    const claimed = { ...claim, inputTokens: 100, cachedInputTokens: 60 } as WorkerMeter
    const bounded = boundedMeter(claimed, { promptTokens: 100, maxOutputTokens: 50 })
    expect(bounded).toMatchObject({ inputTokens: 40, cachedInputTokens: 60 })
  })
})
