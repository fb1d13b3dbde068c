/** Why a worker did not do what it was asked, as the gateway tells the cases apart. */
import { ServiceError } from '../errors.ts'
import {
  type GrammarFailure,
  grammarFailures,
  type PromptLength,
  type WorkerErrorCode,
  workerError,
} from './protocol.ts'

const RETRY_AFTER_SECONDS = 1
/** A worker that was started again with another model began with nothing that was for the first. */
const busyCodes: ReadonlySet<WorkerFailure['code']> = new Set([
  'queue_full',
  'draining',
  'fingerprint_mismatch',
])

export interface FailureDetails {
  readonly cause?: unknown
  /** The field of the worker protocol that is at fault: `logitBias`. */
  readonly field?: string | undefined
  readonly promptLength?: PromptLength | undefined
}

export class WorkerFailure extends Error {
  override readonly name = 'WorkerFailure'
  /** `unreachable` is our own: no answer, or a connection that failed. */
  readonly code: WorkerErrorCode | GrammarFailure | 'unreachable'
  readonly field: string | undefined
  readonly promptLength: PromptLength | undefined

  constructor(code: WorkerFailure['code'], message: string, details: FailureDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.field = details.field
    this.promptLength = details.promptLength
  }

  /**
   * Whether the worker may have begun with what it was sent. That may be what ended it, so the
   * gateway sends it to no other worker.
   */
  get mayHaveBegun(): boolean {
    return !this.isBusy && !(this.code === 'unreachable' && neverConnected(this.cause))
  }

  /** Whether the caller's own schema is why it failed: it would fail everywhere. */
  get isOfGrammar(): boolean {
    return grammarFailures.some((code) => code === this.code)
  }

  /** Whether another worker, or the same one later, can do what this one did not. */
  get isBusy(): boolean {
    return busyCodes.has(this.code)
  }

  /** Whether every worker would refuse the request in the same way. */
  get isFinal(): boolean {
    return this.code === 'bad_request' || this.code === 'unsupported_schema'
  }

  /** The error for the caller, which shows nothing of the worker's own message. */
  toServiceError(requestId?: string): ServiceError {
    const details = { cause: this, requestId }
    if (this.isBusy) return overloaded('The inference workers are busy.', details)
    if (this.code === 'grammar_too_costly') {
      const message =
        'The schema of the answer or of a tool became too costly to follow. What was computed until ' +
        'then is charged. Please make its alternatives differ earlier.'
      return new ServiceError('schema_too_costly', message, details)
    }
    const message = 'The inference worker failed. Nothing was charged beyond what was delivered.'
    return new ServiceError('worker_failed', message, {
      ...details,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  }
}

/** Errors of a connection that was not there: nothing was sent on it. */
const connectErrors = ['ECONNREFUSED', 'ENOENT', 'UND_ERR_CONNECT_TIMEOUT', 'EHOSTUNREACH']

function neverConnected(cause: unknown): boolean {
  return connectErrors.includes(String((cause as NodeJS.ErrnoException | undefined)?.code))
}

export function overloaded(
  message: string,
  details: { readonly cause?: unknown; readonly retryAfterSeconds?: number } = {},
) {
  return new ServiceError('server_is_overloaded', `${message} Please try again shortly.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    ...details,
  })
}

/** @param status of an answer that is not 200 */
export function errorOfAnswer(status: number, body: string): WorkerFailure {
  try {
    const { error } = workerError.parse(JSON.parse(body))
    return new WorkerFailure(error.code, error.message, error)
  } catch {
    return new WorkerFailure('failed', `the worker answered ${status}`)
  }
}

/** Turns any error of a worker call into a {@link WorkerFailure}. */
export function asWorkerFailure(cause: unknown): WorkerFailure {
  if (cause instanceof WorkerFailure) return cause
  return new WorkerFailure('failed', 'the worker could not be used', { cause })
}
