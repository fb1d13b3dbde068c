/** Puts a worker together from its settings: model, sequences, scheduler, protocol. */
import { hash, randomBytes, randomInt } from 'node:crypto'
import { BLOCK_TOKENS, type ModelFacts } from './engine/engine.ts'
import { fileDigest } from './engine/gguf-file.ts'
import { startLlama } from './engine/llama.ts'
import { Scheduler } from './engine/scheduler.ts'
import { SequencePool } from './engine/sequences.ts'
import type { Log } from './log.ts'
import { findModel } from './model-source.ts'
import { blockHashes } from './prefix-cache/block-hash.ts'
import { type PromptRenderer, promptRenderer } from './prompt/template.ts'
import { WorkerOperations } from './protocol/operations.ts'
import { CONTEXT_TOKENS_DEFAULT_MAX, type WorkerSettings } from './settings.ts'
import { StartRefused } from './start-refused.ts'

const NONCE_BYTES = 12
const FINGERPRINT_CHARACTERS = 32
const SEEDS = 2 ** 32
/** Changes when prompts are computed in other chunks, which can change the tokens. */
const CHUNK_SCHEDULE = 'canonical-1'

export interface Worker {
  readonly operations: WorkerOperations
  /** Takes no more requests and resolves when those that run have ended. */
  drain(): Promise<void>
}

/**
 * Loads the model and makes everything ready to serve.
 *
 * @param onBroken called when the runtime is beyond repair and the process should end
 * @throws StartRefused with one line for the operator
 */
export async function startWorker(
  settings: WorkerSettings,
  log: Log,
  onBroken: (error: unknown) => void,
): Promise<Worker> {
  const source = await findModel(settings.model, settings.modelsFolder, log)
  log('info', 'loading the model', { model: source.path, threads: settings.threads })
  const { engine, facts } = await startLlama({
    modelPath: source.path,
    contextSize: settings.contextSize,
    contextSizeMax: CONTEXT_TOKENS_DEFAULT_MAX,
    sequences: settings.sequences,
    threads: settings.threads,
    log,
  })
  const fingerprint = fingerprintOf(facts, await fileDigest(source.path))
  const scheduler = new Scheduler({
    engine,
    pool: new SequencePool(engine, blockHashes(settings.cacheSecret, fingerprint)),
    workerId: settings.workerId,
    queueLimit: settings.queueLimit,
    log,
    nowMs: () => performance.now(),
    randomSeed: () => randomInt(SEEDS),
    onBroken,
  })
  const operations = new WorkerOperations({
    scheduler,
    renderer: rendererOf(facts, engine.vocabulary),
    facts: {
      workerId: settings.workerId,
      fingerprint,
      modelName: source.name,
      toy: source.toy,
      contextSize: engine.contextSize,
      threads: facts.threads,
      cpuVariant: facts.cpuVariant,
    },
  })
  return { operations, drain: () => scheduler.drain() }
}

function rendererOf(
  { chatTemplate, modelName }: ModelFacts,
  vocabulary: Parameters<typeof promptRenderer>[1],
): PromptRenderer {
  if (chatTemplate === null) {
    throw new StartRefused(
      `the model "${modelName}" has no chat template, so it cannot be served as a chat model; ` +
        'take an "instruct" or "chat" version of it',
    )
  }
  try {
    return promptRenderer(chatTemplate, vocabulary, () => randomBytes(NONCE_BYTES).toString('hex'))
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
    throw new StartRefused(`the model's chat template cannot be read: ${reason}`)
  }
}

/** Equal fingerprints give equal tokens: model file, library, kind of CPU, chat template. */
function fingerprintOf(facts: ModelFacts, modelDigest: string): string {
  const parts = {
    modelDigest,
    llamaCpp: facts.llamaCppRelease,
    library: facts.libraryVersion,
    cpuVariant: facts.cpuVariant,
    template: hash('sha256', facts.chatTemplate ?? '', 'hex'),
    blockTokens: BLOCK_TOKENS,
    schedule: CHUNK_SCHEDULE,
    flashAttention: true,
  }
  return hash('sha256', JSON.stringify(parts), 'hex').slice(0, FINGERPRINT_CHARACTERS)
}
