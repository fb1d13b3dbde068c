/**
 * When and how the server of a round is killed: half of the rounds at random, half at named places.
 * Rounds beyond those that were asked for are there for the named places that are left.
 */
import { type CrashPoint, serverCrashPoints } from '@svc/contracts/crash-points'
import type { Random } from '@svc/testing/random'

export type KillPlan =
  /** `kill -9` this long after the server was started, or after clients began to call it. */
  | { readonly kind: 'random'; readonly since: 'start' | 'load'; readonly afterMs: number }
  /** The server kills itself at the pass-th time it gets there. */
  | {
      readonly kind: 'point'
      readonly point: CrashPoint
      readonly pass: number
      /** Reached on the way to an orderly stop: so one is asked for. */
      readonly whileStopping: boolean
    }

const SHARE_WHILE_STARTING = 0.25
const MS_MAX = { start: 1_200, load: 600 }
const PASS_MAX = 25
const STOPPING: readonly CrashPoint[] = ['shutdown.draining', 'snapshot.before', 'snapshot.after']
/** Reached once or twice in the life of a server. */
const SELDOM: readonly CrashPoint[] = [...STOPPING, 'sweep.before', 'sweep.after']

/** Goes round and round the named places; one that was not reached has its turn again at once. */
export class KillPlans {
  readonly #missed = new Set<CrashPoint>(serverCrashPoints)
  #places: readonly CrashPoint[] = []
  /** Had its turn last, and the server did not get there as often as it was meant to. */
  #elsewhere: CrashPoint | undefined
  readonly #rounds: number

  /** @param rounds how many were asked for */
  constructor(rounds: number) {
    this.#rounds = rounds
  }

  /** Places at which no server has died yet. */
  get missed(): readonly CrashPoint[] {
    return [...this.#missed]
  }

  next(round: number, random: Random): KillPlan {
    if (round % 2 === 0 && round < this.#rounds) {
      const since = random.next() < SHARE_WHILE_STARTING ? 'start' : 'load'
      return { kind: 'random', since, afterMs: random.integer(MS_MAX[since]) }
    }
    const [point, ...rest] = this.#places.length > 0 ? this.#places : serverCrashPoints
    this.#places = rest
    if (point === undefined) throw new RangeError('no crash points')
    const isSecondTry = point === this.#elsewhere
    const pass = isSecondTry || SELDOM.includes(point) ? 1 : 1 + random.integer(maxPassOf(point))
    return { kind: 'point', point, pass, whileStopping: STOPPING.includes(point) }
  }

  /** @param asPlanned whether the server died where the plan wanted it */
  ended(plan: KillPlan, asPlanned: boolean): void {
    if (plan.kind !== 'point') return
    this.#elsewhere = asPlanned ? undefined : plan.point
    if (asPlanned) this.#missed.delete(plan.point)
    else this.#places = [plan.point, ...this.#places]
  }
}

/** Only some requests have an Idempotency-Key, so only some answers are recorded. */
function maxPassOf(point: CrashPoint): number {
  return point.startsWith('recorded-answer') ? PASS_MAX / 5 : PASS_MAX
}
