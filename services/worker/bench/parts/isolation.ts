/**
 * Whether a tenant can tell from the time to the first token what another one has asked: it repeats
 * the other's prompts, and asks new ones, in turn. As a control the other one repeats its own,
 * which must be told apart clearly.
 */
import type { Random } from '@svc/testing/random'
import {
  type Bench,
  type Figures,
  newRandom,
  ownRedis,
  promptTokens,
  sharedCache,
  warmWorker,
} from '../bench.ts'
import type { MeasuredWorker } from '../measured-worker.ts'
import { randomPrompt } from '../model-under-test.ts'
import { compareDistributions, median, rounded } from '../statistics.ts'
import { timedAnswer } from '../timed-answer.ts'

const PROMPT_TOKENS = 2_000
const SAMPLES = 1_000
/** A model of more bytes takes seconds for a prompt: it gets fewer samples. */
const SMALL_MODEL_BYTES = 20_000_000
const SAMPLES_OF_BIG_MODEL = 40
const SEQUENCES = 4
const PROGRESS_EVERY = 100

interface Arms {
  /** Time to the first token of prompts that nobody has asked before. */
  readonly freshMs: number[]
  /** Of prompts that another tenant has asked just before. */
  readonly othersMs: number[]
  /** Of prompts that the tenant itself has asked just before. */
  readonly ownMs: number[]
}

export async function measureIsolation(bench: Bench): Promise<Figures> {
  const tokens = promptTokens(bench.model, PROMPT_TOKENS)
  const usual = bench.model.bytes > SMALL_MODEL_BYTES ? SAMPLES_OF_BIG_MODEL : SAMPLES
  const samples = bench.samples ?? usual
  await using stack = new AsyncDisposableStack()
  const redis = await ownRedis(stack)
  const shared = sharedCache(redis, 'isolation')
  await using worker = await warmWorker(bench, {
    workerId: 'bench-a',
    sequences: SEQUENCES,
    cache: 'on',
    tokens,
    shared,
  })
  const arms: Arms = { freshMs: [], othersMs: [], ownMs: [] }
  const random = newRandom()
  for (let sample = 1; sample <= samples; sample += 1) {
    await takeSample(bench, worker, tokens, random, arms)
    if (sample % PROGRESS_EVERY === 0) bench.say(`isolation: ${sample} of ${samples} samples …`)
  }
  const guess = compareDistributions(arms.freshMs, arms.othersMs)
  const control = compareDistributions(arms.freshMs, arms.ownMs)
  return {
    isolation_prompt_tokens: tokens,
    isolation_samples_per_arm: samples,
    isolation_fresh_p50_ms: rounded(median(arms.freshMs)),
    isolation_others_prompt_p50_ms: rounded(median(arms.othersMs)),
    isolation_own_prompt_p50_ms: rounded(median(arms.ownMs)),
    isolation_ks_distance: rounded(guess.distance),
    isolation_ks_p_value: rounded(guess.pValue),
    isolation_control_ks_distance: rounded(control.distance),
    isolation_control_ks_p_value: rounded(control.pValue),
  }
}

async function takeSample(
  bench: Bench,
  worker: MeasuredWorker,
  length: number,
  random: Random,
  arms: Arms,
): Promise<void> {
  const known = randomPrompt(bench.model, length, random)
  const fresh = randomPrompt(bench.model, length, random)
  await ask(bench, worker, 'victim', known, false)
  const measureKnown = async () => {
    arms.othersMs.push(await ask(bench, worker, 'curious', known, false))
  }
  const measureFresh = async () => {
    arms.freshMs.push(await ask(bench, worker, 'curious', fresh, false))
  }
  // What comes first is drawn, so that nothing that follows from the order tells the arms apart.
  const inTurn = random.next() < 0.5 ? [measureKnown, measureFresh] : [measureFresh, measureKnown]
  for (const measure of inTurn) await measure()
  arms.ownMs.push(await ask(bench, worker, 'victim', known, true))
}

/** @returns the time to the first token, in ms */
async function ask(
  { model }: Bench,
  worker: MeasuredWorker,
  tenant: string,
  tokens: readonly number[],
  cached: boolean,
): Promise<number> {
  const { firstTokenMs, meter } = await timedAnswer(worker, {
    tenant,
    tokens,
    maxOutputTokens: 1,
    without: model.endOfGeneration,
  })
  if (meter.cachedInputTokens > 0 !== cached) {
    throw new Error(`${meter.cachedInputTokens} tokens were cached for ${tenant}`)
  }
  return firstTokenMs
}
