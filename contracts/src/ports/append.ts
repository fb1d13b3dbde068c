/** Two rules about appends that every store and every caller must apply in the same way. */
import type { AppendOutcome, NewEvent, RecordedEvent, StreamHead } from './event-store.ts'

/** The size of events that all bounds count: UTF-8 bytes of data and metadata. */
export function bytesOfEvents(events: readonly Pick<NewEvent, 'data' | 'metadata'>[]): number {
  return events.reduce(
    (sum, { data, metadata }) => sum + Buffer.byteLength(data) + Buffer.byteLength(metadata),
    0,
  )
}

/**
 * The outcome of an append when the stream is already longer than the append expects: `duplicate`
 * when the very same events stand behind the expected head, `conflict` when others do.
 *
 * @param there the events behind the expected head, oldest first: at least as many as are appended,
 *   or all that there are
 * @returns undefined when nothing contradicts the append, but some or all of its events are
 *   missing: then the outcome is not known yet
 */
export function outcomeOfRepeat(
  expected: StreamHead,
  events: readonly Pick<NewEvent, 'id'>[],
  there: readonly RecordedEvent[],
): Exclude<AppendOutcome, { readonly kind: 'appended' | 'unknown' }> | undefined {
  for (const [index, { id }] of events.entries()) {
    const found = there[index]
    if (found === undefined) return undefined
    const isSame = found.id === id && found.revision === expected.revision + 1 + index
    if (!isSame) return { kind: 'conflict' }
  }
  const last = there[events.length - 1]
  if (last === undefined) return undefined
  const { revision, hash, position } = last
  return { kind: 'duplicate', head: { revision, hash }, position }
}
