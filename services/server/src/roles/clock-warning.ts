/** Tells whether the clock of this machine is behind what the event log has seen. */
import type { EventStore } from '@svc/contracts/ports/event-store'
import type { Clock } from '@svc/contracts/ports/time'
import type { Logger } from 'pino'

/** The clocks of several gateways differ by less. */
const AHEAD_MS_MIN = 60_000
/** What this start has written is the newest of all. */
const EVENTS_LOOKED_AT = 100

/**
 * A machine that starts with a wrong clock takes keys that have expired, and finds no price in
 * force. One whose clock was ahead for a moment has ended credit too early, and goes on to write
 * that time into what happens to the same accounts, until the clock shows it again.
 */
export async function warnOfClock(
  store: Pick<EventStore, 'readAllBackwards'>,
  clock: Clock,
  logger: Logger,
): Promise<void> {
  const newestMs = await newestTime(store)
  const aheadMs = newestMs - clock.nowMs()
  if (aheadMs < AHEAD_MS_MIN) return
  logger.warn(
    { newest: new Date(newestMs).toISOString(), aheadSeconds: Math.round(aheadMs / 1_000) },
    'the event log is ahead of the clock of this machine, which is wrong or was: look at its time',
  )
}

/** @returns milliseconds since 1970; 0 where nothing can be read, which others tell */
async function newestTime(store: Pick<EventStore, 'readAllBackwards'>): Promise<number> {
  try {
    const events = await store.readAllBackwards({ limit: EVENTS_LOOKED_AT })
    const times = events.map(({ data }) => (JSON.parse(data) as { readonly at?: unknown }).at)
    return Math.max(0, ...times.filter((at) => typeof at === 'number'))
  } catch {
    return 0
  }
}
