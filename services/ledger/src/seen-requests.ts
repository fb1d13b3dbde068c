/**
 * The requests that sweeps have seen open, and how long each is left alone.
 *
 * A deadline was written by the clock of a gateway. If the sweeper compared it with its own clock,
 * then setting either clock would end requests that still run, and their answers would be free. So
 * the sweeper takes the time when it first sees a request, and measures the time that is left to it
 * by a clock that never jumps.
 *
 *     first seen by the first sweep   accepted some time ago: deadline minus now is left
 *     first seen by a later sweep     perhaps accepted since then: the time of a whole request is
 *                                     left, or more when the deadline says so
 *
 * A deadline says so for a gateway that is given more time for requests, and also for one whose
 * clock is ahead. The id of a request was made by the same clock, before the deadline: what lies
 * between the two is all that the request was given, whatever that clock showed.
 */
import { idTimeMs } from '@svc/contracts/ids'
import type { Clock } from '@svc/contracts/ports/time'

/** How long a request is left alone after its time is over, because clocks differ a little. */
const DEADLINE_GRACE_MS = 5_000

export interface SeenRequestsPorts {
  readonly clock: Clock
  readonly steadyClock: Clock
  /** The longest that a gateway runs and settles a request. */
  readonly longestRequestMs: number
}

interface OpenRequest {
  readonly requestId: string
  /** In milliseconds since 1970. */
  readonly deadline: number
}

export class SeenRequests {
  readonly #ports: SeenRequestsPorts
  /** When the time of each that the last round saw is over, by the steady clock. */
  #before: ReadonlyMap<string, number> = new Map()
  /** The same of the round under way. */
  #ends = new Map<string, number>()
  #hasNoted = false
  /** Whether the sweep under way is the first one. */
  #isFirst = true

  constructor(ports: SeenRequestsPorts) {
    this.#ports = ports
  }

  /** A sweep that failed before it saw a page was none. */
  beginSweep(): void {
    this.#isFirst = !this.#hasNoted
  }

  /**
   * @param open requests that a sweep sees
   * @param endsRound whether these are the last of a round: what it did not see is forgotten
   */
  note(open: readonly OpenRequest[], { endsRound }: { readonly endsRound: boolean }): void {
    const leastMs = this.#isFirst ? 0 : this.#ports.longestRequestMs
    this.#hasNoted = true
    for (const request of open) {
      const { requestId } = request
      this.#ends.set(requestId, this.#before.get(requestId) ?? this.#endOf(request, leastMs))
    }
    if (!endsRound) return
    this.#before = this.#ends
    this.#ends = new Map()
  }

  /** Never at the first sight of it: the grace at least is left to it then. */
  isOverdue(requestId: string): boolean {
    const end = this.#before.get(requestId)
    return end !== undefined && this.#ports.steadyClock.nowMs() > end + DEADLINE_GRACE_MS
  }

  #endOf({ requestId, deadline }: OpenRequest, leastMs: number): number {
    const { clock, steadyClock, longestRequestMs } = this.#ports
    const mostMs = Math.max(longestRequestMs, deadline - idTimeMs(requestId))
    const leftMs = Math.min(deadline - clock.nowMs(), mostMs)
    return steadyClock.nowMs() + Math.max(leastMs, leftMs)
  }
}
