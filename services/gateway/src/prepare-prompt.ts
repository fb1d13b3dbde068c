/** Renders and counts the prompt before the ledger is touched: the hold needs its exact size. */
import { ServiceError } from '@svc/contracts/errors'
import type { PrepareAnswer } from '@svc/contracts/worker-protocol'
import type { InferenceRequest } from './inference-request.ts'
import { asWorkerFailure, WorkerFailure } from './routing/worker-failure.ts'
import type { PooledWorker, WorkerPool } from './routing/worker-pool.ts'

export interface PreparedPrompt extends PrepareAnswer {
  /** Whether it was prepared for the bundled model, so that the demo price counts. */
  readonly onBundledModel: boolean
}

/**
 * @param tenant the account whose prompt it is: only its own prompts share blocks with it
 * @throws {ServiceError} when the prompt does not fit, or no worker can count it
 */
export async function preparePrompt(
  workers: WorkerPool,
  tenant: string,
  request: InferenceRequest,
): Promise<PreparedPrompt> {
  const prepared = await prepareOnSomeWorker(workers, tenant, request)
  checkContext(request, prepared)
  return prepared
}

/** What the request may produce: what it asked for, or the default where the context has room. */
export function outputLimit(
  request: InferenceRequest,
  prepared: PrepareAnswer,
  defaultMaxOutputTokens: number,
): number {
  return request.maxOutputTokens ?? Math.min(defaultMaxOutputTokens, prepared.maxOutputTokens)
}

/** Without a look at whether it fits. @throws {ServiceError} when no worker can count it */
export async function countPrompt(
  workers: WorkerPool,
  tenant: string,
  request: InferenceRequest,
): Promise<number> {
  const { tokens } = await prepareOnSomeWorker(workers, tenant, request)
  return tokens.length
}

/**
 * A worker that is busy, or that cannot be reached, is followed by another. One that failed at it,
 * died of it or took too long is not: what broke one worker must not break the next.
 */
async function prepareOnSomeWorker(
  workers: WorkerPool,
  tenant: string,
  request: InferenceRequest,
): Promise<PreparedPrompt> {
  const first = workers.pick()
  try {
    return await prepareOn(first, tenant, request)
  } catch (cause) {
    if (!(cause instanceof WorkerFailure)) throw cause
    if (cause.mayHaveBegun) throw cause.toServiceError()
  }
  try {
    return await prepareOn(workers.pick(first), tenant, request)
  } catch (cause) {
    throw cause instanceof ServiceError ? cause : asWorkerFailure(cause).toServiceError()
  }
}

async function prepareOn(
  worker: PooledWorker,
  tenant: string,
  request: InferenceRequest,
): Promise<PreparedPrompt> {
  const { messages, thinking, toolUse, outputFormat, outputFormatParam } = request
  const onBundledModel = worker.health?.toy ?? false
  try {
    const asked = { tenant, messages: [...messages], thinking, toolUse, outputFormat }
    return { ...(await worker.client.prepare(asked)), onBundledModel }
  } catch (cause) {
    if (cause instanceof WorkerFailure && cause.code === 'prompt_too_long') {
      throw promptTooLong(request, worker.health?.contextSize)
    }
    if (cause instanceof WorkerFailure && cause.code === 'bad_request') {
      const message = 'The messages cannot be put into the form that this model expects.'
      throw new ServiceError('invalid_value', message, { param: request.conversationParam, cause })
    }
    if (cause instanceof WorkerFailure && cause.code === 'unsupported_schema') {
      const message = `The schema cannot be enforced: ${cause.message}.`
      throw new ServiceError('unsupported_value', message, { param: outputFormatParam, cause })
    }
    throw cause
  }
}

function checkContext(request: InferenceRequest, prepared: PrepareAnswer): void {
  const { tokens, contextSize, maxOutputTokens: room } = prepared
  if (tokens.length === 0 || room <= 0) throw promptTooLong(request, contextSize, tokens.length)
  const asked = request.maxOutputTokens
  if (asked === null || asked <= room) return
  const message =
    `This model's maximum context length is ${contextSize} tokens. However, you requested ` +
    `${tokens.length + asked} tokens (${tokens.length} in the messages, ${asked} in the ` +
    'completion). Please reduce the length of the messages or completion.'
  const param = request.maxOutputTokensParam
  throw new ServiceError('context_length_exceeded', message, {
    param,
    tokens: { prompt: tokens.length, maxOutput: asked, context: contextSize },
  })
}

function promptTooLong(
  { conversationParam: param }: InferenceRequest,
  contextSize: number | undefined,
  tokens?: number,
): ServiceError {
  const limit = contextSize === undefined ? 'limited' : `${contextSize} tokens`
  const length = tokens === undefined ? 'are longer' : `resulted in ${tokens} tokens`
  const message =
    `This model's maximum context length is ${limit}. However, your messages ${length}. ` +
    'Please reduce the length of the messages.'
  return new ServiceError('context_length_exceeded', message, {
    param,
    ...(tokens === undefined || contextSize === undefined
      ? {}
      : { tokens: { prompt: tokens, maxOutput: null, context: contextSize } }),
  })
}
