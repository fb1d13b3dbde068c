/** Renders and counts the prompt before the ledger is touched: the hold needs its exact size. */
import { ServiceError } from '@svc/contracts/errors'
import type { PrepareAnswer } from '@svc/contracts/worker-protocol'
import type { InferenceRequest } from './inference-request.ts'
import { asWorkerFailure, WorkerFailure } from './routing/worker-failure.ts'
import type { PooledWorker, WorkerPool } from './routing/worker-pool.ts'

/** @throws {ServiceError} when the prompt does not fit, or no worker can count it */
export async function preparePrompt(
  workers: WorkerPool,
  request: InferenceRequest,
): Promise<PrepareAnswer> {
  const prepared = await prepareOnSomeWorker(workers, request)
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

/** To prepare changes nothing, so a worker that fails at it is followed by another. */
async function prepareOnSomeWorker(
  workers: WorkerPool,
  request: InferenceRequest,
): Promise<PrepareAnswer> {
  const first = workers.pick()
  try {
    return await prepareOn(first, request)
  } catch (cause) {
    if (!(cause instanceof WorkerFailure)) throw cause
  }
  try {
    return await prepareOn(workers.pick(first), request)
  } catch (cause) {
    throw cause instanceof ServiceError ? cause : asWorkerFailure(cause).toServiceError()
  }
}

async function prepareOn(
  worker: PooledWorker,
  { messages, thinking }: InferenceRequest,
): Promise<PrepareAnswer> {
  try {
    return await worker.client.prepare({ messages: [...messages], thinking })
  } catch (cause) {
    if (cause instanceof WorkerFailure && cause.code === 'prompt_too_long') {
      throw promptTooLong(worker.health?.contextSize)
    }
    if (cause instanceof WorkerFailure && cause.code === 'bad_request') {
      const message = 'The messages cannot be put into the form that this model expects.'
      throw new ServiceError('invalid_value', message, { param: 'messages', cause })
    }
    throw cause
  }
}

function checkContext(request: InferenceRequest, prepared: PrepareAnswer): void {
  const { tokens, contextSize, maxOutputTokens: room } = prepared
  if (tokens.length === 0 || room <= 0) throw promptTooLong(contextSize, tokens.length)
  const asked = request.maxOutputTokens
  if (asked === null || asked <= room) return
  const message =
    `This model's maximum context length is ${contextSize} tokens. However, you requested ` +
    `${tokens.length + asked} tokens (${tokens.length} in the messages, ${asked} in the ` +
    'completion). Please reduce the length of the messages or completion.'
  const param = request.maxOutputTokensParam
  throw new ServiceError('context_length_exceeded', message, { param })
}

function promptTooLong(contextSize: number | undefined, tokens?: number): ServiceError {
  const limit = contextSize === undefined ? 'limited' : `${contextSize} tokens`
  const length = tokens === undefined ? 'are longer' : `resulted in ${tokens} tokens`
  const message =
    `This model's maximum context length is ${limit}. However, your messages ${length}. ` +
    'Please reduce the length of the messages.'
  return new ServiceError('context_length_exceeded', message, { param: 'messages' })
}
