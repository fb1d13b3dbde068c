/** The error that a caller gets; the catalogue has every code. */
import { type ErrorCode, type ErrorEntry, errorCatalogue } from './error-catalogue.ts'
import type { PicoDollars } from './money.ts'

export { type ErrorCode, type ErrorEntry, errorCatalogue }

/** The tokens that were asked for, and that fit. */
export interface TokensAsked {
  readonly prompt: number
  /** Is null when the prompt alone does not fit. */
  readonly maxOutput: number | null
  /** Prompt and output together. */
  readonly context: number
  /** Whether the prompt is longer than that: it was not counted to its end. */
  readonly promptIsLonger?: boolean
}

/** The part of the balance that a request needs, and what there is of it. */
export interface ShortFunds {
  /**
   * The most that the request may cost; of an account that is never below zero the least it is
   * served for. null: not known, for nothing was counted.
   */
  readonly required: PicoDollars | null
  readonly available: PicoDollars
  /**
   * The sum that running requests hold. What they do not use of it is available again when they
   * end.
   */
  readonly held: PicoDollars
}

/** The state of a rate limit, for the rate headers of the answer. */
export interface RateState {
  readonly limit: number
  readonly remaining: number
  /** Whole seconds until all of it may be had again. */
  readonly resetSeconds: number
}

export interface ErrorDetails {
  /** The field at fault, as a path such as `messages[0].content`. */
  readonly param?: string | undefined
  /** Whole seconds after which a retry can help; sent as `Retry-After`. */
  readonly retryAfterSeconds?: number | undefined
  /** The request that the error is about, when one was accepted. */
  readonly requestId?: string | undefined
  /** Is set for `context_length_exceeded`: formats put the numbers in words of their own. */
  readonly tokens?: TokensAsked
  /** Is set for `rate_limit_exceeded`: the bound that was reached. */
  readonly rate?: RateState
  /** Is set for `insufficient_quota` and `balance_in_use`: the amounts, for programs. */
  readonly funds?: ShortFunds
  readonly cause?: unknown
}

/** An error that a caller gets. Its message is for the caller: it shows no internals. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly code: ErrorCode
  readonly param: string | null
  readonly retryAfterSeconds: number | undefined
  readonly requestId: string | undefined
  readonly tokens: TokensAsked | undefined
  readonly rate: RateState | undefined
  readonly funds: ShortFunds | undefined

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.param = details.param ?? null
    this.retryAfterSeconds = details.retryAfterSeconds
    this.requestId = details.requestId
    this.tokens = details.tokens
    this.rate = details.rate
    this.funds = details.funds
  }

  get entry(): ErrorEntry {
    return errorCatalogue[this.code]
  }
}

/**
 * Makes an error that says that nothing was done: another server, or this one when it runs again,
 * can take the request.
 */
export function serverStopping(): ServiceError {
  return new ServiceError('shutting_down', 'The server is stopping.', { retryAfterSeconds: 1 })
}

/** A read model has not yet seen all that the question is about. */
export function viewBehind(
  message = 'What is shown here is behind. Please try again.',
): ServiceError {
  return new ServiceError('view_behind', message, { retryAfterSeconds: 1 })
}

/** Ends what customers are told; operators are told what to do in its place. */
export const ASK_THE_OPERATOR = 'Please ask the operator of this service.'
export const ACCOUNT_FROZEN = `The account is frozen. ${ASK_THE_OPERATOR}`

export function accountFrozen(): ServiceError {
  return new ServiceError('account_frozen', ACCOUNT_FROZEN)
}

/** @param cause for the log; the caller is told nothing of it */
export function ownDefect(cause: unknown): ServiceError {
  return new ServiceError('internal_error', 'Something went wrong on our side.', { cause })
}
