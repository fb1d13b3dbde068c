/**
 * llama.cpp behind the {@link Engine} port. The files of this folder are the only ones that import
 * node-llama-cpp.
 *
 * The runtime's own defaults are dangerous for a service that bills, so every one is set:
 * - threads: more threads than cores slow it down 300 times, and its default is at least four;
 * - a full context silently drops the oldest tokens: here that throws;
 * - erasing the middle of a sequence shifts positions, so only tails are ever erased;
 * - it never compiles or downloads anything.
 */
import { BLOCK_TOKENS_MAX } from '@svc/contracts/ports/prefix-store'
import {
  getLlama,
  getLlamaGpuTypes,
  getModuleVersion,
  type Llama,
  type LlamaContext,
  LlamaLogLevel,
  type LlamaModel,
} from 'node-llama-cpp'
import { mappedFiles } from '../../process/mapped-files.ts'
import { RuntimeWatch } from '../../process/runtime-watch.ts'
import { firstLineOf, GpuAbsent, StartRefused } from '../../process/start-refused.ts'
import {
  type BatchCounts,
  type Engine,
  type EngineSequence,
  type EngineSettings,
  type GpuKind,
  type GrammarStart,
  type GrammarState,
  type ModelFacts,
  noBatches,
  type OpenEngine,
  type Vocabulary,
} from '../engine.ts'
import { anyTokenSchedule, canonicalSchedule, type PromptSchedule } from '../prompt-schedule.ts'
import { alternatingBatches, type BatchStrategy } from './batching.ts'
import { ContextGate } from './context-gate.ts'
import { fileDigest } from './gguf-file.ts'
import { gpuIdentity } from './gpu-identity.ts'
import { LlamaGrammars } from './grammars.ts'
import { mendSampling } from './internals.ts'
import { tellProgress } from './model-progress.ts'
import { findModel } from './model-source.ts'
import { LlamaSequence } from './sequence.ts'
import { SequenceStates } from './states/sequence-states.ts'
import { llamaVocabulary } from './vocabulary.ts'

/**
 * With one thread of a processor everybody waits for a chunk, and half of 128 tokens takes half as
 * long. Still smaller chunks are not faster: for 32 tokens the runtime attends in another way,
 * which takes longer than 64 tokens do.
 */
const ONE_THREAD_CHUNK_TOKENS = 64
/**
 * Several threads wait for each other after each step of a chunk: two compute 128 tokens in a fifth
 * less time than twice 64. A GPU computes 128 about as fast as a part of them.
 */
const CHUNK_TOKENS = 128

export interface LlamaOptions extends Omit<EngineSettings, 'model' | 'modelsFolder'> {
  readonly modelPath: string
  /**
   * The runtime calls this while it reads the file into memory, with the share that was read, from
   * 0 to 1.
   */
  readonly onLoading?: (share: number) => void
  readonly log: (level: 'info' | 'warn' | 'error', message: string) => void
  readonly watch?: RuntimeWatch
}

type RuntimeFacts = Omit<ModelFacts, 'modelName' | 'toy' | 'digest'>

/** Finds the model, or downloads it, and starts the runtime with it. */
export const openLlama: OpenEngine = async (settings, { log, watch }) => {
  const { path, name, bytes, toy } = await findModel(settings.model, settings.modelsFolder, log)
  log('info', 'loading the model', { model: path, threads: settings.threads })
  const tellLoading = tellProgress('loading the model', name, log)
  const onLoading = (share: number) => tellLoading(share * bytes, bytes)
  const started = await startLlama({ ...settings, modelPath: path, onLoading, log, watch })
  const { engine, facts } = started
  const digest = await fileDigest(path, bytes)
  return { engine, facts: { ...facts, modelName: name, toy, digest } }
}

/** @returns the kinds of GPUs whose drivers are on this machine, the best one first */
export async function gpuKinds(): Promise<readonly GpuKind[]> {
  const types = await getLlamaGpuTypes('supported')
  return types.filter((type) => type !== false)
}

/**
 * Loads a model and reserves the memory of its sequences.
 *
 * @throws StartRefused when the file cannot be loaded or the memory is not there
 */
export async function startLlama(options: LlamaOptions): Promise<{
  readonly engine: Engine
  readonly facts: RuntimeFacts
}> {
  const llama = await getLlama({
    gpu: options.gpu === 'off' ? false : options.gpu,
    build: 'never',
    skipDownload: true,
    maxThreads: options.threads,
    logLevel: LlamaLogLevel.warn,
    logger: (level, message) => {
      const severity = level === 'error' || level === 'fatal' ? 'error' : 'warn'
      options.log(severity, message.trimEnd())
    },
  }).catch((error: unknown) => {
    if (options.gpu === 'off') {
      throw new StartRefused(`no llama.cpp binary runs on this machine: ${firstLineOf(error)}`)
    }
    throw new GpuAbsent(
      `SVC_GPU=${options.gpu} (--gpu) cannot be used: no llama.cpp binary for it runs here ` +
        `(${firstLineOf(error)}); see docs/how-to/use-a-gpu.md`,
    )
  })
  const gpuLayers = llama.gpu === false ? 0 : 'max'
  const model = await llama
    .loadModel({
      modelPath: options.modelPath,
      gpuLayers,
      defaultContextSwaFullCache: true,
      onLoadProgress: (share) => options.onLoading?.(share),
    })
    .catch((error: unknown) => {
      throw new StartRefused(
        `llama.cpp cannot load the model ${options.modelPath}: ${firstLineOf(error)}`,
      )
    })
  const batches = noBatches()
  const context = await createContext(model, options, alternatingBatches(batches))
  return {
    engine: new LlamaEngine(model, context, batches, options),
    facts: await modelFacts(llama, context),
  }
}

async function createContext(
  model: LlamaModel,
  options: LlamaOptions,
  itemPrioritizationStrategy: BatchStrategy,
): Promise<LlamaContext> {
  const trained = model.trainContextSize
  const contextSize = options.contextSize ?? Math.min(trained, options.contextSizeMax)
  if (contextSize > trained) {
    throw new StartRefused(
      `the model was trained for contexts of ${trained} tokens; ` +
        `SVC_CONTEXT_SIZE (--context-size) is ${contextSize}`,
    )
  }
  const context = await model
    .createContext({
      sequences: options.sequences,
      contextSize,
      batchSize: Math.max(BLOCK_TOKENS_MAX, options.sequences),
      flashAttention: true,
      swaFullCache: true,
      threads: { ideal: options.threads, min: options.threads },
      batching: { dispatchSchedule: 'nextCycle', itemPrioritizationStrategy },
    })
    .catch((error: unknown) => {
      throw new StartRefused(
        `no memory for ${options.sequences} sequences of ${contextSize} tokens; ` +
          `lower SVC_SEQUENCES or SVC_CONTEXT_SIZE (${firstLineOf(error)})`,
      )
    })
  if (context.currentThreads > options.threads) {
    throw new StartRefused(
      `llama.cpp took ${context.currentThreads} threads, ${options.threads} are allowed`,
    )
  }
  return context
}

async function modelFacts(llama: Llama, context: LlamaContext): Promise<RuntimeFacts> {
  const { metadata } = context.model.fileInfo
  return {
    chatTemplate: metadata.tokenizer?.chat_template ?? null,
    threads: context.currentThreads,
    cpuVariant: loadedCpuVariant() ?? process.arch,
    device: llama.gpu === false ? 'cpu' : llama.gpu,
    gpu: await gpuIdentity(llama),
    runtimeRelease: llama.llamaCppRelease.release,
    libraryVersion: await getModuleVersion(),
  }
}

/** Which of the shipped builds for kinds of CPU was taken, or undefined where that is hidden. */
function loadedCpuVariant(): string | undefined {
  return /libggml-cpu-([\w-]+)/.exec(mappedFiles())?.[1]
}

class LlamaEngine implements Engine {
  readonly vocabulary: Vocabulary
  readonly contextSize: number
  readonly schedules: readonly PromptSchedule[]
  schedule: PromptSchedule
  readonly canReusePrefix: boolean
  readonly sequences: readonly LlamaSequence[]
  readonly tellsLogprobs: boolean
  readonly drawsByPlace: boolean
  readonly batches: Readonly<BatchCounts>
  readonly #context: LlamaContext
  readonly #states: SequenceStates
  readonly #gate = new ContextGate()
  readonly #watch: RuntimeWatch
  readonly #grammars: LlamaGrammars

  constructor(
    model: LlamaModel,
    context: LlamaContext,
    batches: BatchCounts,
    { log, watch = new RuntimeWatch() }: Pick<LlamaOptions, 'log' | 'watch'>,
  ) {
    this.#context = context
    this.#watch = watch
    this.batches = batches
    this.#states = new SequenceStates(context.totalSequences)
    this.vocabulary = llamaVocabulary(model)
    this.#grammars = new LlamaGrammars(context, this.vocabulary)
    this.tellsLogprobs = mendSampling(context, (error) => {
      log('error', `sampling failed: ${firstLineOf(error)}`)
    })
    this.contextSize = context.contextSize
    const isOneThread = model.llama.gpu === false && context.currentThreads === 1
    const chunkTokens = isOneThread ? ONE_THREAD_CHUNK_TOKENS : CHUNK_TOKENS
    this.schedule = canonicalSchedule(chunkTokens)
    this.schedules = [anyTokenSchedule(chunkTokens), this.schedule]
    this.sequences = Array.from({ length: context.totalSequences }, () => this.#take())
    this.drawsByPlace = this.sequences.every((each) => each.drawsByPlace)
    const needsCheckpoints = this.sequences.some((each) => each.native.needsCheckpoints)
    this.canReusePrefix = !model.fileInsights.isRecurrent && !needsCheckpoints
  }

  startGrammar(start: GrammarStart): GrammarState | null {
    return this.#grammars.start(start)
  }

  async replace(sequence: EngineSequence): Promise<EngineSequence> {
    if (sequence instanceof LlamaSequence) {
      await this.#gate.alone(async () => sequence.native.dispose())
    }
    return this.#take()
  }

  async dispose(): Promise<void> {
    await this.#context.dispose()
    await this.#states.close()
  }

  #take(): LlamaSequence {
    const refuse = (): never => {
      throw new Error('the context is full')
    }
    const native = this.#context.getSequence({ contextShift: { strategy: refuse } })
    const schedule = () => this.schedule
    return new LlamaSequence(native, {
      states: this.#states,
      gate: this.#gate,
      watch: this.#watch,
      schedule,
      vocabularySize: this.vocabulary.size,
    })
  }
}
