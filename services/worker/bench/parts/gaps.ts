/**
 * What those who read an answer feel of a long prompt of somebody else: the gaps between tokens of
 * streams, while prompts arrive, against the time of one chunk of a prompt.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { type Bench, type Figures, newRandom, promptTokens, warmWorker } from '../bench.ts'
import { randomPrompt } from '../model-under-test.ts'
import { median, quantile, rounded } from '../statistics.ts'
import { askWorker, timedAnswer } from '../timed-answer.ts'

const STREAMS = 3
const STREAM_PROMPT_TOKENS = 32
const PROMPT_TOKENS = 1_500
/** The streams go on until they are stopped: nobody waits for their end. */
const CONTEXT_TOKENS = 4_000
const PROMPTS_ALONE = 5
const PROMPTS = 10
const LONG_GAP_CHUNKS = 3
const CHUNK_TOKENS = 128
/** Without prompts, before the first arrives. */
const QUIET_MS = 2_000

export async function measureGaps(bench: Bench): Promise<Figures> {
  const tokens = promptTokens(bench.model, PROMPT_TOKENS)
  const prompts = bench.samples ?? PROMPTS
  const contextTokens = promptTokens(bench.model, CONTEXT_TOKENS)
  const streamTokens = contextTokens - STREAM_PROMPT_TOKENS
  await using worker = await warmWorker(bench, {
    workerId: 'bench-a',
    sequences: STREAMS + 1,
    cache: 'off',
    tokens: contextTokens,
  })
  const random = newRandom()
  const computeOne = (tenant: string) =>
    timedAnswer(worker, {
      tenant,
      tokens: randomPrompt(bench.model, tokens, random),
      maxOutputTokens: 1,
      without: bench.model.endOfGeneration,
    })
  const chunkTimesMs: number[] = []
  for (let round = 0; round < PROMPTS_ALONE; round += 1) {
    const { meter } = await computeOne('alone')
    chunkTimesMs.push(meter.latencies.prefillMs / (tokens / CHUNK_TOKENS))
  }
  const streams = Array.from({ length: STREAMS }, (_, index) =>
    askWorker(worker, {
      tenant: `stream-${index}`,
      maxOutputTokens: streamTokens,
      tokens: randomPrompt(bench.model, STREAM_PROMPT_TOKENS, random),
      without: bench.model.endOfGeneration,
    }),
  )
  await Promise.all(streams.map(({ started }) => started))
  await delay(QUIET_MS)
  const busyFromMs = performance.now()
  for (let round = 0; round < prompts; round += 1) await computeOne('prompts')
  const busyToMs = performance.now()
  await Promise.all(streams.map((stream) => stream.cancel()))
  const answers = await Promise.all(streams.map(({ ended }) => ended))
  const gapsWithin = (fromMs: number, toMs: number) =>
    answers.flatMap(({ tokenTimes }) =>
      gaps(tokenTimes.filter((time) => time >= fromMs && time <= toMs)),
    )
  const quiet = gapsWithin(busyFromMs - QUIET_MS, busyFromMs)
  const busy = gapsWithin(busyFromMs, busyToMs)
  if (busy.length < prompts * STREAMS) throw new Error('the streams ended too early')
  return {
    gaps_prompt_tokens: tokens,
    gaps_prompts: prompts,
    ...figuresOf(median(chunkTimesMs), quiet, busy),
  }
}

function figuresOf(chunkMs: number, quiet: readonly number[], busy: readonly number[]): Figures {
  const long = busy.filter((gap) => gap > LONG_GAP_CHUNKS * chunkMs)
  return {
    gaps_chunk_p50_ms: rounded(chunkMs),
    gaps_quiet_p50_ms: rounded(median(quiet)),
    gaps_quiet_worst_ms: rounded(Math.max(...quiet)),
    gaps_busy_p50_ms: rounded(median(busy)),
    gaps_busy_p99_ms: rounded(quantile(busy, 0.99)),
    gaps_busy_worst_ms: rounded(Math.max(...busy)),
    gaps_over_3_chunks_percent: rounded((long.length / busy.length) * 100),
    gaps_worst_to_chunk_ratio: rounded(Math.max(...busy) / chunkMs),
  }
}

function gaps(times: readonly number[]): readonly number[] {
  return times.slice(1).map((time, index) => time - (times[index] ?? time))
}
