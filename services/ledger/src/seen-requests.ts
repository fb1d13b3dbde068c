/**
 * The requests that sweeps have seen open, and how long each is left alone.
 *
 * A deadline was written by the clock of a gateway. If the sweeper compared it with its own clock,
 * then setting either clock would end requests that still run, and their answers would be free. So
 * the sweeper takes the time when it first sees a request, and measures the time that is left to it
 * by a clock that never jumps.
 *
 *     first seen by the first sweep   accepted some time ago: deadline minus now is left
 *     first seen by a later sweep     accepted since the sweep before: the time of a whole request
 *                                     is left, or more when the deadline says so
 */
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
  /** When the time of each is over, by the steady clock. Undefined before the first sweep. */
  #ends: ReadonlyMap<string, number> | undefined

  constructor(ports: SeenRequestsPorts) {
    this.#ports = ports
  }

  /** @param open all requests that a sweep sees; the others are forgotten */
  note(open: readonly OpenRequest[]): void {
    const before = this.#ends
    const leastMs = before === undefined ? 0 : this.#ports.longestRequestMs
    this.#ends = new Map(
      open.map((request) => {
        const { requestId } = request
        return [requestId, before?.get(requestId) ?? this.#endOf(request, leastMs)]
      }),
    )
  }

  isOverdue(requestId: string): boolean {
    const end = this.#ends?.get(requestId)
    return end !== undefined && this.#ports.steadyClock.nowMs() > end + DEADLINE_GRACE_MS
  }

  #endOf({ deadline }: OpenRequest, leastMs: number): number {
    const { clock, steadyClock } = this.#ports
    return steadyClock.nowMs() + Math.max(leastMs, deadline - clock.nowMs())
  }
}
