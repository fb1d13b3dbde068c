/** What every store and every caller says alike of an append: its size, and what a repeat finds. */
import type { AppendOutcome, NewEvent, RecordedEvent, StreamHead } from './event-store.ts'

/** UTF-8 bytes of data and metadata: what the bounds of appends and of their queues count. */
export function bytesOfEvents(events: readonly Pick<NewEvent, 'data' | 'metadata'>[]): number {
  return events.reduce(
    (sum, { data, metadata }) => sum + Buffer.byteLength(data) + Buffer.byteLength(metadata),
    0,
  )
}

/**
 * Tells what an append comes to that found its expected head overtaken: a `duplicate` when the very
 * same events stand behind that head, a `conflict` when others do.
 *
 * @param there what stands behind the expected head, oldest first; what follows the append's last
 * event may be left out
 * @returns undefined when all that is there is of this append, and some of it, or all, is missing
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
