/**
 * A customer cannot tell by the time it takes what another one has asked. The two arms are measured
 * in turn, so that whatever else the machine does meets both; a leak would make the distributions
 * differ in every try, a coincidence (one in a hundred) hardly three times.
 */

import { outcome } from '@svc/testing/protocol-client'
import { Random } from '@svc/testing/random'
import { expect, it } from 'vitest'
import { compareDistributions } from '../bench/statistics.ts'
import { demoWorker } from '../testing/demo-worker.ts'

const SAMPLES = Number(process.env.SVC_TIMING_SAMPLES ?? 30)
const TRIES = 3
const P_VALUE_MIN = 0.01
const PROMPT_TOKENS = 641
/** The demo model's ordinary tokens. */
const TOKENS = 2_000
/** A bound against waiting for ever: a busy machine takes ten times what a calm one does. */
const TEST_MS = 600_000

const worker = demoWorker('--sequences', '2')
const random = new Random(20_240_920)
const newPrompt = () => Array.from({ length: PROMPT_TOKENS }, () => random.integer(TOKENS))

/** @returns how long the prompt took until its first token, in ms, and what of it was cached */
async function ask(tenant: string, tokens: number[]) {
  const asked = await worker().request([{ role: 'user', content: 'any' }], { maxOutputTokens: 1 })
  const { events } = await worker().open({ ...asked, tenant, tokens })
  const { meter } = await outcome(events)
  return { ms: meter?.latencies.firstTokenMs ?? 0, cached: meter?.cachedInputTokens ?? -1 }
}

async function sample() {
  const arms = { fresh: [] as number[], others: [] as number[], own: [] as number[] }
  for (let index = 0; index < SAMPLES; index += 1) {
    const known = newPrompt()
    await ask('victim', known)
    const others = async () => {
      const { ms, cached } = await ask('curious', known)
      expect(cached).toBe(0)
      arms.others.push(ms)
    }
    const fresh = async () => void arms.fresh.push((await ask('curious', newPrompt())).ms)
    for (const measure of random.next() < 0.5 ? [others, fresh] : [fresh, others]) await measure()
    const { ms, cached } = await ask('victim', known)
    expect(cached).toBe(PROMPT_TOKENS - 1)
    arms.own.push(ms)
  }
  return arms
}

it(
  'the time to the first token tells of no other tenant, but of the own prompts',
  async () => {
    const pValues: number[] = []
    do {
      const { fresh, others, own } = await sample()
      // The control: what is cached is told apart, so a leak would be as well.
      expect(compareDistributions(fresh, own).pValue).toBeLessThan(1e-6)
      pValues.push(compareDistributions(fresh, others).pValue)
    } while (pValues.length < TRIES && (pValues.at(-1) ?? 0) < P_VALUE_MIN)
    expect(Math.max(...pValues)).toBeGreaterThanOrEqual(P_VALUE_MIN)
  },
  TEST_MS,
)
