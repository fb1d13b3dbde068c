/** What can be killed of a service that runs as many processes, and in which order it is. */
import type { Random } from '@svc/testing/random'

export const victimKinds = [
  'gateway',
  'projector',
  'relay',
  'sweeper',
  'worker',
  'store',
  'redis',
  'kafka',
] as const
export type VictimKind = (typeof victimKinds)[number]

export interface Victim {
  readonly kind: VictimKind
  readonly name: string
  /** As `kill -9`. */
  kill(): Promise<void>
  /** Resolves when it is at work again, over the data that it had. */
  start(): Promise<void>
  /** What it says when it has ended and nobody killed it; undefined while it runs. */
  lastWords(): string | undefined
}

/** One death, with all that chance has to say about it. */
export interface Kill {
  readonly victim: Victim
  /** Since the kill before. */
  readonly afterMs: number
  /** Until it is started again. */
  readonly awayMs: number
  /** How long after its start it is killed once more; null: not. */
  readonly againAfterMs: number | null
}

const GAP_MS_MAX = 600
const AWAY_MS_MAX = 500
/** Longer than the deadline of requests: somebody else ends those of a gateway that is away. */
const LONG_AWAY_MS = 8_000
const SHARE_LONG_AWAY = 0.2
const SHARE_KILLED_AGAIN = 0.2
/** About the time that a start takes. */
const AGAIN_WITHIN_MS = 1_500
/** Of these a start takes long enough to be met by a kill. */
const startsLong: readonly VictimKind[] = ['gateway', 'projector', 'relay', 'sweeper']

/** One of each kind, in an order of chance. The same randomness draws the same round. */
export function drawRound(victims: readonly Victim[], random: Random): readonly Kill[] {
  const left: VictimKind[] = [...victimKinds]
  return victimKinds.map(() => {
    const [kind] = left.splice(random.integer(left.length), 1)
    const victim = random.pick(victims.filter((each) => each.kind === kind))
    const isLong = random.next() < SHARE_LONG_AWAY
    const isKilledAgain = random.next() < SHARE_KILLED_AGAIN
    const [afterMs, awayMs] = [random.integer(GAP_MS_MAX), random.integer(AWAY_MS_MAX)]
    const againAfterMs = random.integer(AGAIN_WITHIN_MS)
    return {
      victim,
      afterMs,
      awayMs: isLong && kind === 'gateway' ? LONG_AWAY_MS : awayMs,
      againAfterMs: isKilledAgain && startsLong.includes(victim.kind) ? againAfterMs : null,
    }
  })
}
