/** What the server says to an append, in the words of either call. */
import type { ExpectedRevision } from './append-decision.ts'
import type { AppendOutcome } from './event-log.ts'
import { type CallEnd, framed, status } from './grpc-call.ts'
import type { ProposedAppend } from './proposed-append.ts'
import { bytes, EMPTY, type Fields, message, text, uint } from './protobuf-writer.ts'
import { streamName } from './stored-event.ts'

export type AppendAnswer =
  | AppendOutcome
  | { readonly kind: 'too large'; readonly limit: number }
  | { readonly kind: 'bad request' }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'not ready' }
  | { readonly kind: 'access denied' }

/** Errors of the batched append name their details by type, with this before it. */
const TYPE_PREFIX = 'type.googleapis.com/event_store.client.'

/** The answer to one append of a batch call. */
export function batchAnswer(
  correlationId: string,
  { stream, expected }: ProposedAppend,
  answer: AppendAnswer,
): Buffer {
  return framed(
    Buffer.concat([
      message(1, correlation(correlationId)),
      answer.kind === 'success' || answer.kind === 'success without a stream'
        ? message(3, ...success(answer))
        : message(2, ...batchError(answer, stream, expected)),
      message(4, streamName(stream)),
    ]),
  )
}

/** The real server answers with the two halves, however the id was given. */
function correlation(id: string): Fields {
  const half = (from: number) => BigInt(`0x${id.slice(from, from + 16) || '0'}`)
  return message(1, uint(1, half(0)), uint(2, half(16)))
}

/** The answer to a call of one append: a message, or an error that ends the call. */
export function classicAnswer(
  { stream, expected }: ProposedAppend,
  answer: AppendAnswer,
): { readonly frame: Buffer } | { readonly end: CallEnd } {
  switch (answer.kind) {
    case 'success':
    case 'success without a stream':
      return { frame: framed(message(1, ...success(answer))) }
    case 'wrong expected version':
      return { frame: framed(message(2, ...classicConflict(answer.last, expected))) }
    default:
      return { end: classicError(answer, stream) }
  }
}

type Refusal = Exclude<AppendAnswer, { kind: 'success' | 'success without a stream' }>

function success(
  answer: Extract<AppendAnswer, { kind: 'success' | 'success without a stream' }>,
): readonly Fields[] {
  if (answer.kind !== 'success') return [message(2, EMPTY), message(4, EMPTY)]
  const { revision, position } = answer
  if (position === undefined) return [uint(1, revision), message(4, EMPTY)]
  return [uint(1, revision), message(3, uint(1, position), uint(2, position))]
}

/** The fields of a `google.rpc.Status`; only its message and its details are ever read. */
function batchError(refusal: Refusal, stream: string, expected: ExpectedRevision): Fields[] {
  switch (refusal.kind) {
    case 'wrong expected version':
      return rpcStatus(status.unknown, 'WrongExpectedVersion', conflict(refusal.last, expected))
    case 'stream deleted':
      return rpcStatus(status.unknown, 'StreamDeleted', [message(1, streamName(stream))])
    case 'too large':
      return rpcStatus(status.invalidArgument, 'MaximumAppendSizeExceeded', [
        uint(1, refusal.limit),
      ])
    case 'bad request':
      return rpcStatus(status.invalidArgument, 'BadRequest', [])
    case 'timeout':
      return rpcStatus(status.unknown, 'Timeout', [])
    case 'access denied':
      return rpcStatus(status.permissionDenied, 'AccessDenied', [])
    case 'not ready':
      // Of a type that the client does not know: it can only repeat the message.
      return rpcStatus(status.unavailable, 'NotReady', [], NOT_READY)
  }
}

const NOT_READY = 'Server Is Not Ready'

function rpcStatus(
  code: number,
  type: string,
  details: readonly Fields[],
  said: string = type,
): Fields[] {
  const any = [text(1, TYPE_PREFIX + type), bytes(2, Buffer.concat(details))]
  return [uint(1, code), text(2, said), message(3, ...any)]
}

function conflict(last: number, expected: ExpectedRevision): Fields[] {
  const actual = last < 0 ? message(2, EMPTY) : uint(1, last)
  const fieldOf = { any: 4, stream_exists: 5, no_stream: 6 }
  if (typeof expected === 'bigint') return [actual, uint(3, expected)]
  return [actual, message(fieldOf[expected], EMPTY)]
}

function classicConflict(last: number, expected: ExpectedRevision): Fields[] {
  const actual = last < 0 ? message(7, EMPTY) : uint(6, last)
  const fieldOf = { any: 9, stream_exists: 10, no_stream: 11 }
  if (typeof expected === 'bigint') return [actual, uint(8, expected)]
  return [actual, message(fieldOf[expected], EMPTY)]
}

type ClassicError = Exclude<Refusal, { kind: 'wrong expected version' }>

function classicError(refusal: ClassicError, stream: string): CallEnd {
  switch (refusal.kind) {
    case 'stream deleted':
      return streamDeleted(stream)
    case 'too large':
      return {
        code: status.invalidArgument,
        message: `Maximum Append Size of ${refusal.limit} Exceeded.`,
        trailers: {
          exception: 'maximum-append-size-exceeded',
          'maximum-append-size': String(refusal.limit),
        },
      }
    case 'bad request':
      return { code: status.invalidArgument, message: 'BadRequest' }
    case 'timeout':
      return { code: status.aborted, message: 'Operation timed out' }
    case 'access denied':
      return accessDenied
    case 'not ready':
      return notReady
  }
}

export const accessDenied: CallEnd = {
  code: status.permissionDenied,
  message: 'Access Denied',
  trailers: { exception: 'access-denied' },
}

export const notReady: CallEnd = { code: status.unavailable, message: NOT_READY }

export function streamDeleted(stream: string): CallEnd {
  return {
    code: status.failedPrecondition,
    message: `Event stream '${stream}' is deleted.`,
    trailers: { exception: 'stream-deleted', 'stream-name': encodeURI(stream) },
  }
}
