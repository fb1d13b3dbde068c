/**
 * Reads one stream, and follows its chain. One event more than asked for is read: the one before,
 * which the first one is chained to.
 */
import {
  BrokenChainError,
  NO_STREAM,
  type ReadStreamRequest,
  type RecordedEvent,
} from '@svc/contracts/ports/event-store'
import { verifyChain } from '@svc/contracts/ports/hash-chain'
import type { ServerReadStream } from '../messages/server-calls.ts'

export interface StreamReadsPorts {
  /** Reads a stream by our name of it. */
  read(request: ServerReadStream): Promise<readonly RecordedEvent[]>
  /** Is called with the newest event of each page. */
  noteRead(event: RecordedEvent): void
}

/** @throws {BrokenChainError} */
export async function readChecked(
  request: ReadStreamRequest,
  ports: StreamReadsPorts,
): Promise<readonly RecordedEvent[]> {
  return request.direction === 'forwards'
    ? readForwards(request, ports)
    : readBackwards(request, ports)
}

async function readForwards(
  { stream, from = 0, limit }: ReadStreamRequest,
  { read, noteRead }: StreamReadsPorts,
): Promise<readonly RecordedEvent[]> {
  const hasPrevious = from > 0
  const events = await read({
    stream,
    direction: 'forwards',
    from: hasPrevious ? from - 1 : 0,
    limit: hasPrevious ? limit + 1 : limit,
  })
  const newest = events.at(-1)
  if (newest === undefined) return []
  if (hasPrevious && events[0]?.revision !== from - 1) throw new BrokenChainError(stream, from - 1)
  const page = hasPrevious ? events.slice(1) : events
  verifyChain((hasPrevious ? events[0] : undefined) ?? NO_STREAM, page)
  noteRead(newest)
  return page
}

async function readBackwards(
  request: ReadStreamRequest,
  ports: StreamReadsPorts,
): Promise<readonly RecordedEvent[]> {
  const newestFirst = [...(await readNewestFirst(request, ports))]
  const previous = newestFirst.length > request.limit ? newestFirst.pop() : undefined
  const [newest] = newestFirst
  if (newest === undefined) return []
  verifyChain(previous ?? NO_STREAM, newestFirst.toReversed())
  ports.noteRead(newest)
  return newestFirst
}

/** The server counts its page from `from` down, also where no events are. */
async function readNewestFirst(
  { stream, from, limit }: ReadStreamRequest,
  { read }: StreamReadsPorts,
): Promise<readonly RecordedEvent[]> {
  const page = { stream, direction: 'backwards', limit: limit + 1 } as const
  if (from !== undefined) {
    const events = await read({ ...page, from })
    if (events[0]?.revision === from) return events
  }
  const events = await read(page)
  // It has grown past `from` in the meantime.
  const isBeyond = from !== undefined && (events[0]?.revision ?? 0) > from
  return isBeyond ? read({ ...page, from }) : events
}
