/**
 * The rows of a view in memory, by when they are written.
 *
 *     passing   what comes once and hardly changes, such as an entry or a request: written soon, so
 *               that memory stays small
 *     kept      what changes again and again, such as a balance: written once for each commit
 */
import type { DecodedEvent } from '../projection/decode.ts'
import type { Projector } from '../projection/projection.ts'

export interface RowPart {
  /** Writes what changed, a row in each step of the walk. */
  flush(): Iterable<unknown>
  /** Forgets what is in memory. */
  clear(): void
}

export interface RowParts {
  readonly passing: readonly RowPart[]
  readonly kept: readonly RowPart[]
}

export function projectorOf(
  { passing, kept }: RowParts,
  project: (event: DecodedEvent) => void,
): Projector {
  return {
    fold(events) {
      for (const event of events) project(event)
    },
    writePassing() {
      for (const part of passing) for (const _ of part.flush());
    },
    *flush() {
      for (const part of passing) yield* part.flush()
      for (const part of kept) yield* part.flush()
    },
    forget() {
      for (const part of passing) part.clear()
      for (const part of kept) part.clear()
    },
  }
}
