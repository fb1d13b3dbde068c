/**
 * Decides an append against what is committed, as the index writer of the real server does.
 *
 * An exact revision is checked by the ids that stand at exactly the revisions after it, however
 * long ago they were written: if they are the same, in the same order, the append has happened
 * already. `any` and `stream_exists` name no place to look, so they are checked against a memory of
 * recently written ids that a restart empties: sent again after one, they are written again.
 */
import type { StoredEvent } from './stored-event.ts'

export type ExpectedRevision = bigint | 'no_stream' | 'any' | 'stream_exists'

export interface StreamBefore {
  /** The revision of the last event; -1 for a stream without any. */
  readonly last: number
  readonly isSoftDeleted: boolean
  eventAt(revision: number): StoredEvent | undefined
  /** A recently written event of this stream with this id. */
  recent(id: string): StoredEvent | undefined
}

export type AppendDecision = 'write' | 'wrong expected version' | { readonly writtenAt: number }

/** @returns `writtenAt` is the revision of the last event, when all stand there already */
export function decideAppend(
  expected: ExpectedRevision,
  ids: readonly string[],
  stream: StreamBefore,
): AppendDecision {
  if (expected === 'any' || expected === 'stream_exists') {
    if (expected === 'stream_exists' && (stream.last < 0 || stream.isSoftDeleted)) {
      return 'wrong expected version'
    }
    return decideByMemory(ids, stream)
  }
  const after = expected === 'no_stream' ? -1 : Number(expected)
  if (after === stream.last) return 'write'
  if (after > stream.last) return 'wrong expected version'
  return decideByPlace(after, expected, ids, stream)
}

function decideByMemory(ids: readonly string[], stream: StreamBefore): AppendDecision {
  const written = ids.map((id) => stream.recent(id))
  const last = written.at(-1)
  if (last !== undefined && written.every((event) => event !== undefined)) {
    return { writtenAt: last.revision }
  }
  return written[0] === undefined ? 'write' : 'wrong expected version'
}

function decideByPlace(
  after: number,
  expected: bigint | 'no_stream',
  ids: readonly string[],
  stream: StreamBefore,
): AppendDecision {
  const other = ids.findIndex((id, index) => stream.eventAt(after + 1 + index)?.id !== id)
  if (other === -1 && ids.length > 0) return { writtenAt: after + ids.length }
  // A stream that was deleted takes `no_stream`, and goes on at its next revision.
  if (other === 0 && expected === 'no_stream' && stream.isSoftDeleted) return 'write'
  return 'wrong expected version'
}
