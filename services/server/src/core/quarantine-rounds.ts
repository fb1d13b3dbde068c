/**
 * Looks whether streams that were set aside are whole again: at the start of a server and every
 * half a minute, less often when looking takes long. Views that have left out something of them, or
 * may have folded what was wrong, are built anew before anything is decided on them.
 */
import { unreadableBecause } from '@svc/contracts/events/stored-event'
import { eventAt } from '@svc/contracts/ports/event-at'
import type { EventStore } from '@svc/contracts/ports/event-store'
import type { StreamDamage } from '@svc/contracts/ports/quarantine'
import type { Clock, Timer } from '@svc/contracts/ports/time'
import type { Projections } from '@svc/projections/open-projections'
import type { Logger } from 'pino'
import type { LogQuarantine } from './log-quarantine.ts'

const LOOK_EVERY_MS = 30_000
/** A round of 10 s, over an account of a million events, is followed by 200 s without one. */
const REST_PER_ROUND = 20
const REST_MS_MAX = 600_000

export interface QuarantineRoundsPorts {
  readonly quarantine: Pick<LogQuarantine, 'noted' | 'release'>
  readonly projections: Pick<Projections, 'distrust' | 'wrongAbout' | 'rebuild'>
  readonly store: Pick<EventStore, 'readStream'>
  /** Reads a stream from its start to its end. */
  readonly inspect: (stream: string) => Promise<StreamDamage | undefined>
  readonly clock: Clock
  readonly timer: Timer
  readonly logger: Logger
}

/** @returns stops it, and waits for the round that is on */
export function startQuarantineRounds(ports: QuarantineRoundsPorts): () => Promise<void> {
  const stopping = new AbortController()
  let cancelNext = (): void => {}
  const goRound = async (): Promise<void> => {
    const startedAt = ports.clock.nowMs()
    for (const damage of ports.quarantine.noted()) {
      if (stopping.signal.aborted) return
      await releaseWhenWhole(damage, ports, stopping.signal)
    }
    if (stopping.signal.aborted) return
    const restMs = Math.min(REST_PER_ROUND * (ports.clock.nowMs() - startedAt), REST_MS_MAX)
    cancelNext = ports.timer.after(Math.max(LOOK_EVERY_MS, restMs), start)
  }
  let running: Promise<void> = Promise.resolve()
  const start = (): void => {
    running = goRound()
  }
  start()
  return async () => {
    stopping.abort()
    cancelNext()
    await running
  }
}

async function releaseWhenWhole(
  damage: StreamDamage,
  { quarantine, projections, store, inspect, logger }: QuarantineRoundsPorts,
  signal: AbortSignal,
): Promise<void> {
  const { stream } = damage
  try {
    if ((await isStillThere(damage, store)) || (await inspect(stream)) !== undefined) {
      // Also what was rebuilt since the last look was made of the damaged stream.
      await projections.distrust(stream)
      return
    }
    for (const name of projections.wrongAbout(stream)) {
      logger.warn({ view: name, stream }, 'stream is whole again, rebuilding view')
      await projections.rebuild(name, () => {}, signal)
    }
    if (projections.wrongAbout(stream).length === 0) quarantine.release(stream)
  } catch (err) {
    if (signal.aborted) return
    logger.warn({ err, stream }, 'failed to look at a stream that is set aside, retrying')
  }
}

/** Most damage shows where it was found: then the stream need not be read from its start. */
async function isStillThere(
  { stream, revision }: StreamDamage,
  store: Pick<EventStore, 'readStream'>,
): Promise<boolean> {
  const event = await eventAt(store, { stream, revision: revision ?? 0 })
  if (event === 'damaged') return true
  return event !== undefined && unreadableBecause(event) !== undefined
}
