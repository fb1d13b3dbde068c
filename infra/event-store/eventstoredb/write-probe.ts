/**
 * Asks whether the user may write, and appends of our size are taken, with an append that no stream
 * can take: it names a revision that none has. The server looks at the rights and at the size
 * before it looks at the revision, and writes nothing in any case.
 */
import { randomUUID } from 'node:crypto'
import { APPEND_BYTES_MAX } from '@svc/contracts/ports/event-store'
import { StoreOpenError } from '../../store-open-error.ts'
import type { EventStoreDbClient } from './client/client.ts'
import { answerWithin } from './client/deadline.ts'
import type { SendResult } from './client/send-result.ts'
import { appendLimitOf } from './client/server-failure.ts'
import type { StreamPrefix } from './layout/stream-prefix.ts'

const STREAM = 'write-probe'
const NO_SUCH_REVISION = Number.MAX_SAFE_INTEGER

export interface WriteProbe {
  readonly client: EventStoreDbClient
  readonly streamPrefix: StreamPrefix
  readonly appendTimeoutMs: number
}

/**
 * @param stream by our name
 * @throws what leaves it open
 */
export async function mayWrite(probe: WriteProbe, stream = STREAM): Promise<boolean> {
  const result = await send(probe, 1, stream)
  if (result.kind === 'wrong-expected-revision') return true
  if (result.kind === 'not-written') {
    if (result.reason === 'access-denied') return false
    // The server looks at the right first: whoever deletes a stream is told of it elsewhere.
    if (result.reason === 'stream-deleted') return true
  }
  throw unexpected(result)
}

/**
 * @throws {StoreOpenError} when the server will never take what svc writes
 * @throws what else came of the probe: it may pass
 */
export async function checkWrites(probe: WriteProbe, place: string): Promise<void> {
  const result = await send(probe, APPEND_BYTES_MAX)
  if (result.kind === 'wrong-expected-revision') return
  const cause = unexpected(result)
  const reason = result.kind === 'not-written' ? result.reason : undefined
  if (reason === 'access-denied') {
    throw new StoreOpenError(
      'access-denied',
      `the user may read the event store at ${place}, and may not write: give it the right to ` +
        `write the streams ${probe.streamPrefix.text}*`,
      { cause },
    )
  }
  if (reason === 'too-large') {
    const message = `the event store at ${place} ${appendLimitOf(cause)}`
    throw new StoreOpenError('append-limit', message, { cause })
  }
  throw cause
}

/** @throws {ServerTimeoutError} */
function send(
  { client, streamPrefix, appendTimeoutMs }: WriteProbe,
  bytes: number,
  stream = STREAM,
): Promise<SendResult> {
  const event = {
    id: randomUUID(),
    type: 'WriteProbed',
    data: { kind: 'bytes', bytes: new Uint8Array(bytes) },
    metadata: new Uint8Array(),
  } as const
  const append = client.append(streamPrefix.nameOf(stream), NO_SUCH_REVISION, [event])
  return answerWithin(appendTimeoutMs, 'an append', append)
}

function unexpected(result: SendResult): unknown {
  const isOpen = result.kind === 'unknown' || result.kind === 'not-written'
  return isOpen ? result.cause : new Error('the event store has taken an impossible append')
}
