/** The gateway's side of the worker protocol, over kept connections to one worker. */

import type { WorkerAddress } from '@svc/contracts/worker/address'
import { errorOfAnswer, WorkerFailure } from '@svc/contracts/worker/failure'
import {
  type AuditResponse,
  auditResponse,
  type CancelResponse,
  cancelResponse,
  type GenerateRequest,
  type HealthResponse,
  healthResponse,
  type PrepareRequest,
  type PrepareResponse,
  prepareResponse,
  type StateResponse,
  stateResponse,
  workerPaths,
} from '@svc/contracts/worker/protocol'
import { Pool } from 'undici'
import type { ZodType } from 'zod'
import { GenerateStream } from './generate-stream.ts'
import { exchange, type Reply } from './whole-reply.ts'

const CONNECT_TIMEOUT_MS = 2_000
const HEALTH_TIMEOUT_MS = 2_000
const CANCEL_TIMEOUT_MS = 2_000
const AUDIT_TIMEOUT_MS = 600_000
/** Rendering and counting run off the decode loop; a long prompt takes a while all the same. */
const PREPARE_TIMEOUT_MS = 15_000
const KEEP_ALIVE_MS = 4_000
const GENERATIONS_MAX = 4_096
const CALLS_MAX = 256
const ANSWER_BYTES_MAX = 32 * 1024 * 1024

export class WorkerClient {
  readonly #headers: Readonly<Record<string, string>>
  /** Apart from the calls, so that running generations can never delay a cancel. */
  readonly #generations: Pool
  readonly #calls: Pool

  constructor(address: WorkerAddress) {
    const origin = address.kind === 'unix' ? 'http://worker' : address.url
    const options = {
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectTimeout: CONNECT_TIMEOUT_MS,
      allowH2: false,
      // A generation is silent for as long as its prompt takes: its deadline is the request's own.
      // A call has one for all of its reply.
      headersTimeout: 0,
      bodyTimeout: 0,
      ...(address.kind === 'unix' ? { socketPath: address.path } : {}),
    }
    this.#headers = {
      'content-type': 'application/json',
      ...(address.kind === 'tcp' ? { authorization: `Bearer ${address.secret}` } : {}),
    }
    this.#generations = new Pool(origin, { ...options, connections: GENERATIONS_MAX })
    this.#calls = new Pool(origin, {
      ...options,
      connections: CALLS_MAX,
      maxResponseSize: ANSWER_BYTES_MAX,
    })
  }

  health(): Promise<HealthResponse> {
    return this.#call('GET', workerPaths.health, undefined, healthResponse, HEALTH_TIMEOUT_MS)
  }

  /** Renders and counts. Changes nothing, so it can be asked again of any worker. */
  prepare(request: PrepareRequest, stop?: AbortSignal): Promise<PrepareResponse> {
    const { prepare } = workerPaths
    return this.#call('POST', prepare, request, prepareResponse, PREPARE_TIMEOUT_MS, stop)
  }

  /** Starts a run; its failure, if any, comes out of the generation. */
  generate(request: GenerateRequest, onEnd: (failure: Error | undefined) => void): GenerateStream {
    const generation = new GenerateStream(onEnd)
    const { generate: path } = workerPaths
    const body = JSON.stringify(request)
    this.#generations.dispatch({ method: 'POST', path, headers: this.#headers, body }, generation)
    return generation
  }

  /** Asks for the end of a run; the run itself then ends with its meter. */
  cancel(requestId: string): Promise<CancelResponse> {
    const { cancel } = workerPaths
    return this.#call('POST', cancel, { requestId }, cancelResponse, CANCEL_TIMEOUT_MS)
  }

  /** How it has fared: queue, batches, cache. */
  state(): Promise<StateResponse> {
    return this.#call('GET', workerPaths.state, undefined, stateResponse, HEALTH_TIMEOUT_MS)
  }

  /** Tells it to take no more requests, or to take them again. */
  drain(draining: boolean): Promise<HealthResponse> {
    const { drain } = workerPaths
    return this.#call('POST', drain, { draining }, healthResponse, HEALTH_TIMEOUT_MS)
  }

  /** Has cached blocks computed again and compared, which takes as long as `sample` prompts. */
  audit(sample: number): Promise<AuditResponse> {
    return this.#call('POST', workerPaths.audit, { sample }, auditResponse, AUDIT_TIMEOUT_MS)
  }

  async close(): Promise<void> {
    await Promise.all([this.#generations.destroy(), this.#calls.destroy()])
  }

  async #call<T>(
    method: 'GET' | 'POST',
    path: string,
    body: object | undefined,
    schema: ZodType<T>,
    timeoutMs: number,
    stop?: AbortSignal,
  ): Promise<T> {
    const { status, text } = await this.#exchange(method, path, body, timeoutMs, stop)
    if (status !== 200) throw errorOfAnswer(status, text)
    try {
      return schema.parse(JSON.parse(text))
    } catch (cause) {
      throw new WorkerFailure('failed', `the worker's answer to ${path} cannot be read`, { cause })
    }
  }

  async #exchange(
    method: 'GET' | 'POST',
    path: string,
    body: object | undefined,
    timeoutMs: number,
    stop: AbortSignal | undefined,
  ): Promise<Reply> {
    try {
      const json = body === undefined ? null : JSON.stringify(body)
      const headers = this.#headers
      return await exchange(this.#calls, { method, path, headers, body: json }, timeoutMs, stop)
    } catch (cause) {
      throw new WorkerFailure('unreachable', `the worker did not answer ${path}`, { cause })
    }
  }
}
