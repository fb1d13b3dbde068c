/**
 * Stretches of the server's log that hold nothing of ours. Events become visible in order of
 * position, and only once they are replicated, so that a stretch that was read once holds nothing
 * of ours for ever.
 *
 *     … ours ┄┄┄┄┄┄┄┄ foreign ┄┄┄┄┄┄┄┄ ours …
 *         after                through
 */
import type { Position } from '@svc/contracts/ports/event-store'

/**
 * How many gaps are remembered: one before our first event, one behind our last, and the longest in
 * between.
 */
const GAPS_MAX = 16

/** Nothing of ours is behind `after`, up to and with `through`. */
export interface Gap {
  readonly after: Position
  readonly through: Position
}

export class KnownGaps {
  #gaps: readonly Gap[] = []

  /** Tells where to read on, to find what is behind a position. */
  skip(after: Position): Position {
    const gap = this.#gaps.find((known) => known.after <= after && after < known.through)
    return gap?.through ?? after
  }

  note(gap: Gap): void {
    if (gap.through <= gap.after) return
    let { after, through } = gap
    const apart = this.#gaps.filter((known) => known.through < after || through < known.after)
    for (const known of this.#gaps) {
      if (apart.includes(known)) continue
      if (known.after < after) after = known.after
      if (known.through > through) through = known.through
    }
    const all = [...apart, { after, through }]
    if (all.length > GAPS_MAX) all.splice(all.indexOf(shortestOf(all)), 1)
    this.#gaps = all
  }
}

function shortestOf(gaps: readonly Gap[]): Gap {
  const length = ({ after, through }: Gap): bigint => through - after
  return gaps.reduce((shortest, gap) => (length(gap) < length(shortest) ? gap : shortest))
}
