/**
 * How long a tenant waits for its first token while another one has more long answers under way
 * than the worker has sequences, and what the other's answers lose by it.
 */
import type { Random } from '@svc/testing/random'
import { type Bench, type Figures, newRandom, promptTokens, warmWorker } from '../bench.ts'
import type { MeasuredWorker } from '../measured-worker.ts'
import { randomPrompt } from '../model-under-test.ts'
import { median, rounded } from '../statistics.ts'
import { askWorker, type RunningAnswer, timedAnswer } from '../timed-answer.ts'

const STREAMS = 8
const SEQUENCES = 4
const PROMPT_TOKENS = 200
const NEWCOMER_TOKENS = 16
const CONTEXT_TOKENS = 4_000
const SAMPLES = 10

export async function measureNewcomer(bench: Bench): Promise<Figures> {
  const samples = bench.samples ?? SAMPLES
  const tokens = promptTokens(bench.model, CONTEXT_TOKENS)
  await using worker = await warmWorker(bench, {
    workerId: 'bench-a',
    sequences: SEQUENCES,
    cache: 'on',
    tokens,
  })
  const random = newRandom()
  const undisturbed = streams(bench, worker, tokens, random)
  const aloneMs = await timeOf(undisturbed)
  const begunMs = performance.now()
  const streaming = streams(bench, worker, tokens, random)
  const ended = timeOf(streaming)
  await Promise.all(streaming.slice(0, SEQUENCES).map(({ started }) => started))
  const firstTokensMs: number[] = []
  for (let sample = 0; sample < samples; sample += 1) {
    const { firstTokenMs } = await timedAnswer(worker, {
      tenant: `newcomer-${sample}`,
      maxOutputTokens: NEWCOMER_TOKENS,
      tokens: randomPrompt(bench.model, PROMPT_TOKENS, random),
      without: bench.model.endOfGeneration,
    })
    firstTokensMs.push(firstTokenMs)
  }
  const newcomersMs = performance.now() - begunMs
  const besideMs = await ended
  return {
    newcomer_samples: samples,
    newcomer_streams: STREAMS,
    newcomer_sequences: SEQUENCES,
    newcomer_first_token_p50_ms: rounded(median(firstTokensMs)),
    newcomer_first_token_worst_ms: rounded(Math.max(...firstTokensMs)),
    newcomer_all_ms: rounded(newcomersMs),
    newcomer_streams_alone_ms: rounded(aloneMs),
    newcomer_streams_beside_ms: rounded(besideMs),
  }
}

function streams(
  { model }: Bench,
  worker: MeasuredWorker,
  contextTokens: number,
  random: Random,
): readonly RunningAnswer[] {
  return Array.from({ length: STREAMS }, () =>
    askWorker(worker, {
      tenant: 'streams',
      maxOutputTokens: contextTokens - PROMPT_TOKENS,
      tokens: randomPrompt(model, PROMPT_TOKENS, random),
      without: model.endOfGeneration,
    }),
  )
}

async function timeOf(running: readonly RunningAnswer[]): Promise<number> {
  const begunMs = performance.now()
  await Promise.all(running.map(({ ended }) => ended))
  return performance.now() - begunMs
}
