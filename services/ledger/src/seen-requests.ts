/**
 * The requests that sweeps have seen open, and until when each is left alone.
 *
 * A deadline is a time by the clock of the gateway that wrote it. Were it held against the clock of
 * the sweeper alone, a clock that is set, here or there, would end requests that still run, and
 * their answers would be given away. So the rest of a request's time is measured from when it is
 * first seen, by a clock that never jumps.
 *
 *     seen by the first sweep   accepted some time ago: the rest is what the clock says
 *     seen by a later one       accepted since the last sweep: the rest is a whole request's time
 */
import type { Clock } from '@svc/contracts/ports/time'

/** How long after its deadline a request is left alone, because clocks differ a little. */
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

  /** @param open all that a sweep sees; what it does not see any more is forgotten */
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
