/**
 * What every adapter refuses before it sends or writes anything, so that no adapter forgets a
 * bound.
 */
import type {
  AppendRequest,
  ReadAllBackwardsRequest,
  ReadAllRequest,
  ReadStreamRequest,
} from '@svc/contracts/ports/event-store'
import { type SealedAppend, seal } from '@svc/contracts/ports/hash-chain'

/** The most UTF-8 bytes in the name of a stream or of an event type. */
const NAME_BYTES_MAX = 255
/** The most events in one page of a read, and in one batch of a subscription. */
const PAGE_EVENTS_MAX = 10_000

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const NIL_UUID = '00000000-0000-0000-0000-000000000000'

/**
 * Checks an append and gives its events their revisions and hashes.
 *
 * @throws {RangeError} when any adapter could not store it byte for byte, or a bound is passed
 */
export function admitAppend(request: AppendRequest): SealedAppend {
  checkName('stream', request.stream)
  const { revision } = request.expected
  if (!Number.isSafeInteger(revision) || revision < -1) {
    throw new RangeError(`${revision} is not a revision to expect`)
  }
  for (const { id, type, data, metadata } of request.events) {
    if (!UUID.test(id) || id === NIL_UUID) {
      throw new RangeError('the id of an event must be a UUID in lower case with dashes')
    }
    checkName('event type', type)
    if (!data.isWellFormed() || !metadata.isWellFormed()) {
      throw new RangeError('data and metadata of an event must be well-formed text')
    }
  }
  return seal(request)
}

/** @throws {RangeError} */
export function admitReadStream(request: ReadStreamRequest): void {
  checkPage(request.limit)
  const { from } = request
  if (from !== undefined && (!Number.isSafeInteger(from) || from < 0)) {
    throw new RangeError(`${from} is not a revision to read from`)
  }
}

/** @throws {RangeError} */
export function admitReadAll(request: ReadAllRequest | ReadAllBackwardsRequest): void {
  checkPage(request.limit)
}

function checkPage(limit: number): void {
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > PAGE_EVENTS_MAX) {
    throw new RangeError(`a page holds 1 to ${PAGE_EVENTS_MAX} events, not ${limit}`)
  }
}

function checkName(what: string, name: string): void {
  const bytes = Buffer.byteLength(name)
  if (bytes < 1 || bytes > NAME_BYTES_MAX || !name.isWellFormed() || name.includes('\0')) {
    throw new RangeError(`the name of a ${what} must be 1 to ${NAME_BYTES_MAX} bytes of text`)
  }
}
