/** What the client's errors are, told by their marks: only `client.ts` knows their classes. */
import { StoreAwayError, StoreUnavailableError } from '@svc/contracts/ports/event-store'

/** gRPC status codes. */
const UNKNOWN = 2
const INVALID_ARGUMENT = 3
const PERMISSION_DENIED = 7
const UNAVAILABLE = 14
const UNAUTHENTICATED = 16

/** A timer of ours ran out: the client itself waits without end. */
export class ServerTimeoutError extends Error {
  override readonly name = 'ServerTimeoutError'

  constructor(what: string, timeoutMs: number) {
    super(`the event store did not answer ${what} within ${Math.ceil(timeoutMs)} ms`)
  }
}

/** The client object was replaced or closed while this was on its way. */
export class ClientRetiredError extends Error {
  override readonly name = 'ClientRetiredError'

  constructor() {
    super('the connection to the event store was given up')
  }
}

/** Whether a call ended because a timer of ours ran out. */
export function isSilence(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return error instanceof ServerTimeoutError || cause instanceof ServerTimeoutError
}

/**
 * The kind of the client's own errors. Undefined for a plain error, which its first steps throw.
 */
export function failureTypeOf(error: unknown): string | undefined {
  return error instanceof Error && 'type' in error && typeof error.type === 'string'
    ? error.type
    : undefined
}

export function grpcCodeOf(error: unknown): number | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'number'
    ? error.code
    : undefined
}

/**
 * Makes one line of an error: the client's messages may be empty, and grpc-js puts several lines
 * into one, with a note of its own on how it found the address.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const message = error.message
    .replace(/\s+/g, ' ')
    .replace(/\.? ?Resolution note:.*$/, '')
    .trim()
  return message === '' ? (failureTypeOf(error) ?? error.name) : message
}

/**
 * A client object that has thrown this fails every later append with the same error, for ever, also
 * when the servers are back.
 */
export function isDiscoveryFailure(error: unknown): boolean {
  return error instanceof Error && /^Failed to discover after \d+ attempts\.$/.test(error.message)
}

export function isUnavailable(error: unknown): boolean {
  return grpcCodeOf(error) === UNAVAILABLE
}

export function isAccessDenied(error: unknown): boolean {
  const code = grpcCodeOf(error)
  return (
    failureTypeOf(error) === 'access-denied' ||
    code === UNAUTHENTICATED ||
    code === PERMISSION_DENIED
  )
}

/** Whether a stream was deleted for ever: one that can go on is only empty. */
export function isDeletedStream(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return [error, cause].some((found) => failureTypeOf(found) === 'stream-deleted')
}

/** What a server says that takes no append of our size. The text goes on from the server's name. */
export function appendLimitOf(error: unknown): string {
  const limit = error instanceof Error && 'maxAppendSize' in error ? error.maxAppendSize : undefined
  const bytes = typeof limit === 'number' ? ` (${limit} bytes)` : ''
  return `takes only smaller appends than svc makes${bytes}: set its --max-append-size to 1048576`
}

/** The position of a read is not the place of an event: it comes from another log. */
function isForeignPosition(error: unknown): boolean {
  const code = grpcCodeOf(error)
  return code === INVALID_ARGUMENT || (code === UNKNOWN && /position/i.test(reasonOf(error)))
}

/** The error for the caller of a read. */
export function readFailureOf(error: unknown): Error {
  if (isForeignPosition(error)) {
    return new RangeError('the position to read from is none of this event log', { cause: error })
  }
  const message = `the event store cannot be read: ${reasonOf(error)}`
  const isAnswer = isAccessDenied(error) || isDeletedStream(error)
  return isAnswer
    ? new StoreUnavailableError(message, { cause: error })
    : new StoreAwayError(message, { cause: error })
}
