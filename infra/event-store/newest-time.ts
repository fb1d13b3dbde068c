/** Tells whether the clock of this machine is behind what the event log has seen. */
import type { EventStore } from '@svc/contracts/ports/event-store'
import type { Clock } from '@svc/contracts/ports/time'

/** The clocks of several gateways differ by less. */
const AHEAD_MS_MIN = 60_000
/** What this moment has written is the newest of all. */
const EVENTS_LOOKED_AT = 100

/**
 * A machine with a clock that is behind takes keys that have expired, and finds no price in force.
 * One whose clock was ahead for a moment has ended credit too early, and goes on to write that time
 * into what happens to the same accounts, until the clock shows it again.
 *
 * @returns the time of the newest events in milliseconds since 1970, where it is of more than a
 *   minute from now; undefined as well where nothing can be read, which others tell
 */
export async function timeAheadOf(
  clock: Clock,
  store: Pick<EventStore, 'readAllBackwards'>,
): Promise<number | undefined> {
  const newestMs = await newestTime(store)
  return newestMs - clock.nowMs() < AHEAD_MS_MIN ? undefined : newestMs
}

/** @returns 0 where nothing can be read */
async function newestTime(store: Pick<EventStore, 'readAllBackwards'>): Promise<number> {
  try {
    const events = await store.readAllBackwards({ limit: EVENTS_LOOKED_AT })
    const times = events.map(({ data }) => (JSON.parse(data) as { readonly at?: unknown }).at)
    return Math.max(0, ...times.filter((at) => typeof at === 'number'))
  } catch {
    return 0
  }
}
