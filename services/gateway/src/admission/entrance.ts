/**
 * What stands between the head of a request and its body: whether the account has credit, whether
 * the body is small enough for that, and a place. It touches no connection, which may one day be
 * in another thread (`docs/decisions/0087-http-threads-before-one-ledger.md`).
 */
import { ServiceError } from '@svc/contracts/errors'
import type { Clock, Timer } from '@svc/contracts/ports/time'
import type { Caller, Ledger } from '@svc/ledger/ledger'
import type { HttpLimits } from '../http/limits.ts'
import { Pace } from '../http/pacing/pace.ts'
import { REFUSAL_WAIT_MS_MAX } from '../http/pacing/refusal-pauses.ts'
import { noCredit } from './credit.ts'
import type { Places } from './places.ts'
import type { Visit } from './visit.ts'

export interface EntrancePorts {
  readonly ledger: Pick<Ledger, 'hasKnownCredit' | 'recentBalance'>
  readonly places: Places
  readonly limits: HttpLimits
  readonly timer: Timer
  /** A clock that never jumps: one that is set back would have everybody wait for a minute. */
  readonly clock: Clock
}

/** A request whose caller is known, and whose body nobody has looked at. */
export interface Newcomer {
  readonly caller: Caller
  /** The `content-length`; undefined for a body in chunks. */
  readonly declaredBytes: number | undefined
  /** Whether the client has left. */
  isGone(): boolean
  /** Lets it wait for its time, no longer than its client waits for it. */
  paused(wait: (gone: AbortSignal) => Promise<void>): Promise<void>
  /** It has waited without credit: its refusal waits no more. */
  hasPaused(): void
  /** It runs, or waits for its place: whoever brought it leaves when its client does. */
  entered(visit: Visit, hasCredit: boolean): void
}

export class Entrance {
  readonly #ports: EntrancePorts
  readonly #bodyPace: Pace
  /** Paces requests without credit: nearly all of them are refused. */
  readonly #unpaidPace: Pace

  constructor(ports: EntrancePorts) {
    const { bodyBytesPerSecond, refusalsPerSecond } = ports.limits
    this.#ports = ports
    this.#bodyPace = new Pace({ ...ports, perSecond: bodyBytesPerSecond })
    this.#unpaidPace = new Pace({
      ...ports,
      perSecond: refusalsPerSecond,
      waitMsMax: REFUSAL_WAIT_MS_MAX,
    })
  }

  /**
   * Resolves when the request has its place, or its client has left.
   *
   * @throws {ServiceError} what turns it away
   */
  async enter(newcomer: Newcomer): Promise<void> {
    const { ledger, places, limits } = this.#ports
    const { caller } = newcomer
    const { accountId } = caller
    const isPaced = !ledger.hasKnownCredit(accountId)
    if (isPaced) await newcomer.paused((gone) => this.#unpaidPace.take(accountId, 1, gone))
    if (newcomer.isGone()) return
    // The balance is looked up behind the pace, because the store is asked each time about who
    // seems to have none.
    const balance = await ledger.recentBalance(accountId)
    const hasCredit = balance.settled > 0n
    if (isPaced && !hasCredit) newcomer.hasPaused()
    const bodyBytes = newcomer.declaredBytes ?? bodyBytesMax(limits, hasCredit)
    if (bodyBytes > bodyBytesMax(limits, hasCredit)) {
      if (!hasCredit && bodyBytes <= limits.bodyBytes) throw noCredit(balance)
      throw bodyTooLarge()
    }
    if (newcomer.isGone()) return
    const visit = places.enter({ ...caller, bodyBytes })
    newcomer.entered(visit, hasCredit)
    await visit.admitted
    // Large bodies take the time of the thread that serves all, whether they are refused or not.
    if (bodyBytes > limits.smallBodyBytes) {
      await newcomer.paused((gone) => this.#bodyPace.take(accountId, bodyBytes, gone))
    }
  }
}

/** The largest body, in bytes, of a caller with or without credit. */
export function bodyBytesMax({ bodyBytes, unpaidBodyBytes }: HttpLimits, hasCredit: boolean) {
  return hasCredit ? bodyBytes : Math.min(bodyBytes, unpaidBodyBytes)
}

export function bodyTooLarge(): ServiceError {
  return new ServiceError('request_too_large', 'The body is larger than the limit.')
}
