/**
 * How long until the first token of a long prompt: computed, and taken from each place where its
 * beginning can be.
 */
import type { Random } from '@svc/testing/random'
import {
  type Bench,
  cacheableOf,
  type Figures,
  newRandom,
  ownRedis,
  promptTokens,
  sharedCache,
  untilWritten,
  warmWorker,
  writtenBlocks,
} from '../bench.ts'
import type { MeasuredWorker } from '../measured-worker.ts'
import { randomPrompt } from '../model-under-test.ts'
import { median, rounded } from '../statistics.ts'
import { type TimedAnswer, timedAnswer } from '../timed-answer.ts'

const PROMPT_TOKENS = 2_000
const PROMPTS = 7
const SEQUENCES = 2
const FILLER_TOKENS = 300
/** Enough that the fillers overlap, and so take all the sequences. */
const FILLER_OUTPUT_TOKENS = 24
const TENANT = 'ttft'

/** By where the beginning of the prompt was. */
interface Times {
  readonly coldMs: number[]
  readonly liveMs: number[]
  readonly l1Ms: number[]
  /** Empty where blocks are too large for Redis, or computed in less time than they are fetched. */
  readonly l2Ms: number[]
}

/** With 2,000 tokens, and with as many as end one token after a block of 128. */
export async function measureTtft(bench: Bench): Promise<Figures> {
  const tokens = promptTokens(bench.model, PROMPT_TOKENS)
  const aligned = Math.floor((tokens - 1) / 128) * 128 + 1
  const timesOf = await measureFirstTokens(bench, [tokens, aligned])
  return {
    ...figuresOf('ttft', tokens, timesOf.get(tokens)),
    ...figuresOf('ttft_aligned', aligned, timesOf.get(aligned)),
  }
}

/** @param lengths of prompts, in tokens */
export async function measureFirstTokens(
  bench: Bench,
  lengths: readonly number[],
): Promise<ReadonlyMap<number, Times>> {
  const tokens = Math.max(...lengths)
  await using stack = new AsyncDisposableStack()
  const shared = sharedCache(await ownRedis(stack), 'ttft')
  const options = { sequences: SEQUENCES, cache: 'on', tokens, shared } as const
  await using first = await warmWorker(bench, { ...options, workerId: 'bench-a' })
  await using other = await warmWorker(bench, { ...options, workerId: 'bench-b' })
  const random = newRandom()
  const timesOf = new Map<number, Times>()
  for (const length of lengths) {
    timesOf.set(length, { coldMs: [], liveMs: [], l1Ms: [], l2Ms: [] })
  }
  for (let round = 0; round < (bench.samples ?? PROMPTS); round += 1) {
    for (const [length, times] of timesOf) {
      const prompt = randomPrompt(bench.model, length, random)
      await measurePrompt(bench, first, other, prompt, random, times)
    }
  }
  return timesOf
}

async function measurePrompt(
  bench: Bench,
  first: MeasuredWorker,
  other: MeasuredWorker,
  prompt: readonly number[],
  random: Random,
  { coldMs, liveMs, l1Ms, l2Ms }: Times,
): Promise<void> {
  const isShared = first.health.cache.tiers.includes('l2')
  const written = await writtenBlocks(first)
  coldMs.push(await firstTokenMs(bench, first, prompt, 'none'))
  // Keeping what was computed goes on after the answer: nothing is measured beside it.
  if (isShared) await untilWritten(first, written + cacheableOf(first, prompt.length).blocks)
  liveMs.push(await firstTokenMs(bench, first, prompt, 'l1'))
  await takeAllSequences(bench, first, random)
  l1Ms.push(await firstTokenMs(bench, first, prompt, 'l1'))
  if (isShared) l2Ms.push(...(await fetchedMs(bench, other, prompt)))
}

/** @returns nothing when the worker computed the prompt itself, as it may on a GPU */
async function fetchedMs(
  bench: Bench,
  worker: MeasuredWorker,
  prompt: readonly number[],
): Promise<readonly number[]> {
  const { firstTokenMs: ms, meter } = await askOnce(bench, worker, prompt)
  if (meter.cache.source === 'none') {
    bench.say(`${prompt.length} tokens were computed: that is faster here than fetching them`)
    return []
  }
  checkSource(worker, prompt, meter, 'l2')
  return [ms]
}

function figuresOf(name: string, tokens: number, times: Times | undefined): Figures {
  if (times === undefined) return {}
  const coldMs = median(times.coldMs)
  const liveMs = median(times.liveMs)
  const l1Ms = median(times.l1Ms)
  const l2Ms = times.l2Ms.length === 0 ? null : median(times.l2Ms)
  return {
    [`${name}_prompt_tokens`]: tokens,
    [`${name}_cold_p50_ms`]: rounded(coldMs),
    [`${name}_live_p50_ms`]: rounded(liveMs),
    [`${name}_l1_p50_ms`]: rounded(l1Ms),
    [`${name}_live_to_cold_ratio`]: rounded(liveMs / coldMs),
    [`${name}_l1_to_cold_ratio`]: rounded(l1Ms / coldMs),
    ...(l2Ms !== null && {
      [`${name}_l2_p50_ms`]: rounded(l2Ms),
      [`${name}_l2_to_cold_ratio`]: rounded(l2Ms / coldMs),
    }),
  }
}

async function firstTokenMs(
  bench: Bench,
  worker: MeasuredWorker,
  tokens: readonly number[],
  expected: 'none' | 'l1',
): Promise<number> {
  const { firstTokenMs, meter } = await askOnce(bench, worker, tokens)
  checkSource(worker, tokens, meter, expected)
  return firstTokenMs
}

function askOnce({ model }: Bench, worker: MeasuredWorker, tokens: readonly number[]) {
  return timedAnswer(worker, {
    tenant: TENANT,
    tokens,
    maxOutputTokens: 1,
    without: model.endOfGeneration,
  })
}

function checkSource(
  worker: MeasuredWorker,
  tokens: readonly number[],
  meter: TimedAnswer['meter'],
  expected: 'none' | 'l1' | 'l2',
): void {
  const { source } = meter.cache
  const all = source === 'none' ? 0 : cacheableOf(worker, tokens.length).tokens
  if (source !== expected || meter.cachedInputTokens !== all) {
    throw new Error(
      `${meter.cachedInputTokens} tokens came from ${source}: it should have been ${expected}`,
    )
  }
}

/** Other prompts run in every sequence at once: what was live is live no more. */
async function takeAllSequences(
  { model }: Bench,
  worker: MeasuredWorker,
  random: Random,
): Promise<void> {
  const fillers = Array.from({ length: SEQUENCES }, (_, index) =>
    timedAnswer(worker, {
      tenant: `filler-${index}`,
      tokens: randomPrompt(model, FILLER_TOKENS, random),
      maxOutputTokens: FILLER_OUTPUT_TOKENS,
      without: model.endOfGeneration,
    }),
  )
  await Promise.all(fillers)
}
