/** Requests that a worker does not take. */
import type { PromptLength, WorkerErrorCode } from '@svc/contracts/worker/protocol'

export interface RefusalDetails {
  /** The field of the request that is at fault. */
  readonly field?: string | undefined
  readonly promptLength?: PromptLength
}

/** A request that is not taken; the code is the worker protocol's. */
export class WorkerRefusal extends Error {
  override readonly name = 'WorkerRefusal'
  readonly code: WorkerErrorCode
  readonly details: RefusalDetails

  constructor(code: WorkerErrorCode, message: string, details: RefusalDetails = {}) {
    super(message)
    this.code = code
    this.details = details
  }
}
