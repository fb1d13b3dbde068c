/**
 * Whose prompt is prepared next. Rendering, counting and compiling take the worker's time before
 * the balance is held, so they have turns of their own: an account has few under way at once, and
 * the accounts take turns.
 */
import { ServiceError } from '@svc/contracts/errors'
import type { Clock, Timer } from '@svc/contracts/ports/time'
import type { RecentTenants } from '@svc/infra/turns/recent-tenants'
import type { HttpLimits } from '../http/limits.ts'
import { type OwnBounds, Places } from './places.ts'

export interface PreparationOptions {
  readonly limits: HttpLimits
  readonly timer: Timer
  readonly clock: Clock
  /** Turns in a row by account; 1 for an account without an entry. */
  readonly weights?: ReadonlyMap<string, number> | undefined
  /** Tells who is alone, and has more turns at once then. */
  readonly recent: RecentTenants
}

export class PreparationTurns {
  readonly #places: Places

  constructor({ limits, recent, ...ports }: PreparationOptions) {
    const { preparationsPerAccount, preparationsPerAccountAlone } = limits
    const { preparationsInFlight, requestsInFlight } = limits
    this.#places = new Places({
      ...ports,
      alone: { bounds: bothOf(preparationsPerAccountAlone), recent },
      bounds: {
        ...bothOf(preparationsPerAccount),
        requestsInFlight: preparationsInFlight,
        // Every prompt that is prepared has a place of the gateway, so no more can wait here.
        waitingPerAccount: requestsInFlight,
        waitingRequests: Number.POSITIVE_INFINITY,
        waitMs: limits.requestDeadlineMs,
        smallBodyBytes: 0,
        bodyBytesPerAccount: 0,
        bodyBytesInFlight: 0,
      },
    })
  }

  /**
   * Does the work when it is the account's turn.
   *
   * @param stop gives the turn up; the work is not begun then
   * @throws the reason of the stop, or {ServiceError} when the turn does not come for too long
   */
  async inTurn<Result>(
    accountId: string,
    stop: AbortSignal,
    work: () => Promise<Result>,
  ): Promise<Result> {
    stop.throwIfAborted()
    const visit = this.#places.enter({ accountId, keyId: '', bodyBytes: 0 })
    const leave = (): void => visit.leave()
    stop.addEventListener('abort', leave)
    try {
      await visit.admitted.catch((cause) => Promise.reject(this.#ofPrompts(cause)))
      stop.throwIfAborted()
      return await work()
    } finally {
      stop.removeEventListener('abort', leave)
      leave()
    }
  }

  /** The places speak of requests: here what waited is a prompt. */
  #ofPrompts(cause: unknown): unknown {
    if (!(cause instanceof ServiceError) || cause.code !== 'rate_limit_exceeded') return cause
    const message =
      'A few prompts of one account are prepared at once, and this one has waited for its turn ' +
      'for too long. Please try again shortly.'
    const { retryAfterSeconds } = cause
    return new ServiceError('rate_limit_exceeded', message, {
      cause,
      retryAfterSeconds,
    })
  }
}

/** A key has the bounds of its account: turns know no keys. */
function bothOf(turns: number): OwnBounds {
  return { requestsPerKey: turns, requestsPerAccount: turns }
}
