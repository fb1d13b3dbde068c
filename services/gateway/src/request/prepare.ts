/** Renders and counts the prompt before the ledger is touched: the hold needs its exact size. */
import { ServiceError } from '@svc/contracts/errors'
import { asWorkerFailure, WorkerFailure } from '@svc/contracts/worker/failure'
import type { AnswerOptions, PrepareRequest, PrepareResponse } from '@svc/contracts/worker/protocol'
import { type CountedWarnings, reasonOf } from '@svc/infra/system/counted-warnings'
import type { InferenceRequest } from '../formats/inference-request.ts'
import type { Lease, WorkerChoice } from '../routing/worker-pool.ts'
import { callersError, promptTooLong } from './caller-error.ts'

export interface PreparePorts {
  readonly workers: WorkerChoice
  readonly warnings: Pick<CountedWarnings, 'warn'>
}

export interface PreparedPrompt extends PrepareResponse {
  /** Whether it was prepared for the bundled model, so that the demo price counts. */
  readonly onBundledModel: boolean
}

/**
 * @param tenant the account whose prompt it is: only its own prompts share blocks with it
 * @param signal ends the work of the worker too: its reason is thrown then
 * @throws {ServiceError} when the prompt does not fit, no answer can be made as it is asked for, or
 *   no worker can count it
 */
export async function preparePrompt(
  ports: PreparePorts,
  tenant: string,
  request: InferenceRequest,
  signal: AbortSignal,
): Promise<PreparedPrompt> {
  const asked = { ...promptOf(tenant, request), ...answerOptionsOf(request) }
  const prepared = await prepareOnSomeWorker(ports, request, asked, signal)
  checkContext(request, prepared)
  return prepared
}

/** What the request may produce: what it asked for, or the default where the context has room. */
export function outputLimit(
  request: InferenceRequest,
  prepared: PrepareResponse,
  defaultMaxOutputTokens: number,
): number {
  return request.maxOutputTokens ?? Math.min(defaultMaxOutputTokens, prepared.maxOutputTokens)
}

/**
 * Also of a prompt that does not fit, as long as it was counted to its end.
 *
 * @param signal ends the work of the worker too: its reason is thrown then
 * @throws {ServiceError} when no worker can count it
 */
export async function countPrompt(
  ports: PreparePorts,
  tenant: string,
  request: InferenceRequest,
  signal: AbortSignal,
): Promise<number> {
  try {
    const { tokens } = await prepareOnSomeWorker(ports, request, promptOf(tenant, request), signal)
    return tokens.length
  } catch (cause) {
    const counted = cause instanceof ServiceError ? cause.tokens : undefined
    if (counted === undefined || counted.promptIsLonger) throw cause
    return counted.prompt
  }
}

/** What of a request the prompt and the plan of its answer are made of. */
export function promptOf(tenant: string, request: InferenceRequest): PrepareRequest {
  const { messages, thinking, toolUse, outputFormat } = request
  return { tenant, messages: [...messages], thinking, toolUse, outputFormat }
}

/** How the answer is drawn and cut. */
export function answerOptionsOf(request: InferenceRequest): AnswerOptions {
  const { sampling, logitBias, topLogprobs, stop } = request
  return {
    sampling,
    logitBias: logitBias.map(([token, bias]) => [token, bias]),
    topLogprobs,
    stop: [...stop],
  }
}

/**
 * A worker that is busy, or that cannot be reached, is followed by another. One that failed at it,
 * died of it or took too long is not: what broke one worker must not break the next.
 */
async function prepareOnSomeWorker(
  { workers, warnings }: PreparePorts,
  request: InferenceRequest,
  asked: PrepareRequest,
  signal: AbortSignal,
): Promise<PreparedPrompt> {
  const { tenant } = asked
  const first = await workers.pick({ tenant })
  try {
    return await prepareOn(first, warnings, request, asked, signal)
  } catch (cause) {
    if (!(cause instanceof WorkerFailure)) throw cause
    if (cause.mayHaveBegun) throw cause.toServiceError()
  }
  try {
    const second = await workers.pick({ tenant, avoid: first.worker })
    return await prepareOn(second, warnings, request, asked, signal)
  } catch (cause) {
    signal.throwIfAborted()
    throw cause instanceof ServiceError ? cause : asWorkerFailure(cause).toServiceError()
  }
}

async function prepareOn(
  { worker, release, note }: Lease,
  warnings: PreparePorts['warnings'],
  request: InferenceRequest,
  asked: PrepareRequest,
  signal: AbortSignal,
): Promise<PreparedPrompt> {
  const { toy: onBundledModel = false, fingerprint } = worker.health ?? {}
  let failure: WorkerFailure | undefined
  try {
    const prepared = await worker.client.prepare(asked, signal)
    if (prepared.fingerprint !== fingerprint) throw restartedWithAnother()
    return { ...prepared, onBundledModel }
  } catch (cause) {
    // The connection was closed from here: that is no failure of the worker.
    signal.throwIfAborted()
    if (!(cause instanceof WorkerFailure)) throw cause
    const callers = callersError(cause, request)
    // This failure has to be told here, because no request's life tells of it as it does of a run
    // that fails.
    if (callers === undefined && !cause.isBusy) {
      failure = cause
      const told = new Error(`${worker.workerId}: ${reasonOf(cause)}`)
      warnings.warn('worker failed to prepare a prompt', told)
    }
    throw callers ?? cause
  } finally {
    release(undefined)
    if (!signal.aborted) note(failure)
  }
}

/** What it last said of its model, and so the price, is not true of these tokens. */
function restartedWithAnother(): WorkerFailure {
  return new WorkerFailure('fingerprint_mismatch', 'the worker has another model by now')
}

function checkContext(request: InferenceRequest, prepared: PrepareResponse): void {
  const { tokens, contextSize, maxOutputTokens: room } = prepared
  if (tokens.length === 0 || room <= 0) {
    throw promptTooLong(request, { tokens: tokens.length, contextSize, isLowerBound: false })
  }
  const asked = request.maxOutputTokens
  if (asked === null || asked <= room) return
  const message =
    `This model's maximum context length is ${contextSize} tokens. However, you requested ` +
    `${tokens.length + asked} tokens (${tokens.length} in the messages, ${asked} in the ` +
    'completion). Please reduce the length of the messages or completion.'
  const param = request.fieldNames.maxOutputTokens
  throw new ServiceError('context_length_exceeded', message, {
    param,
    tokens: { prompt: tokens.length, maxOutput: asked, context: contextSize },
  })
}
