/**
 * A process that does what the worker does when it makes answers, and nothing else: the runtime
 * alone, without requests, meters and HTTP. It is what the worker's own cost is measured against.
 *
 *     node llama-alone.ts MODEL.gguf GPU CONTEXT_SIZE SEQUENCES THREADS
 *
 * It prints a line when it is ready. For each line with an {@link AloneOrder} on stdin it prints a
 * line with an {@link AloneResult}.
 */
import { createInterface } from 'node:readline'
import { BLOCK_TOKENS_MAX } from '@svc/contracts/ports/prefix-store'
import {
  getLlama,
  type LlamaContext,
  type LlamaContextSequence,
  LlamaLogLevel,
  type LlamaModel,
  type Token,
} from 'node-llama-cpp'
import type { Gpu } from '../src/engines/engine.ts'
import { alternatingBatches } from '../src/engines/llama/batching.ts'

/** How the next batch is chosen: by the runtime itself, or as the worker does. */
export const batchStrategies = ['built-in', 'alternating'] as const
export type BatchStrategyName = (typeof batchStrategies)[number]

export interface AloneOrder {
  readonly strategy: BatchStrategyName
  /** One for each sequence that is to run. */
  readonly prompts: readonly (readonly number[])[]
  /** Tokens that each makes. */
  readonly outputTokens: number
}

export interface AloneResult {
  /** For each sequence when each token came, on the clock of `performance.now()`. */
  readonly tokenTimes: readonly (readonly number[])[]
}

interface Size {
  readonly contextSize: number
  readonly sequences: number
  readonly threads: number
}

async function createContext(
  model: LlamaModel,
  strategy: BatchStrategyName,
  { contextSize, sequences, threads }: Size,
): Promise<LlamaContext> {
  return await model.createContext({
    contextSize,
    sequences,
    flashAttention: true,
    batchSize: Math.max(BLOCK_TOKENS_MAX, sequences),
    threads: { ideal: threads, min: threads },
    batching: {
      dispatchSchedule: 'nextCycle',
      itemPrioritizationStrategy:
        strategy === 'built-in' ? 'maximumParallelism' : alternatingBatches(),
    },
  })
}

/** Draws the likeliest token each time. An end of the answer is a token as any other. */
async function timesOfTokens(
  sequence: LlamaContextSequence,
  prompt: readonly number[],
  outputTokens: number,
): Promise<readonly number[]> {
  await sequence.clearHistory()
  const times: number[] = []
  const draws = sequence.evaluate([...prompt] as Token[], {
    temperature: 0,
    topK: 0,
    topP: 1,
    minP: 0,
    yieldEogToken: true,
  })
  for await (const _token of draws) {
    if (times.push(performance.now()) === outputTokens) break
  }
  return times
}

async function main(): Promise<void> {
  const [modelPath = '', gpu = 'off', ...sizes] = process.argv.slice(2)
  const [contextSize = 0, sequences = 0, threads = 0] = sizes.map(Number)
  const llama = await getLlama({
    gpu: gpu === 'off' ? false : (gpu as Exclude<Gpu, 'off'>),
    build: 'never',
    skipDownload: true,
    maxThreads: threads,
    logLevel: LlamaLogLevel.error,
  })
  const model = await llama.loadModel({ modelPath, gpuLayers: llama.gpu === false ? 0 : 'max' })
  const ready: Partial<Record<BatchStrategyName, readonly LlamaContextSequence[]>> = {}
  for (const strategy of batchStrategies) {
    const context = await createContext(model, strategy, { contextSize, sequences, threads })
    ready[strategy] = Array.from({ length: sequences }, () => context.getSequence())
  }
  const answer = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`)
  answer('ready')
  for await (const line of createInterface({ input: process.stdin })) {
    const order = JSON.parse(line) as AloneOrder
    const runs = order.prompts.map(async (prompt, index) => {
      const sequence = ready[order.strategy]?.[index]
      if (sequence === undefined) throw new Error('there are too few sequences')
      return await timesOfTokens(sequence, prompt, order.outputTokens)
    })
    answer({ tokenTimes: await Promise.all(runs) } satisfies AloneResult)
  }
  process.exit(0)
}

if (import.meta.main) await main()
