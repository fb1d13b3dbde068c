/** Why a running request is to end before its worker is done. */
import { ServiceError } from '@svc/contracts/errors'

export type StopReason =
  | 'client_gone'
  /** The request ran into its deadline. */
  | 'timeout'
  | 'shutting_down'
  | 'account_frozen'
  /** Of the dashboard: whoever asked is no longer in the account, or is kept out. */
  | 'member_left'
  /** The acceptance did not become durable. */
  | 'refused'

/** The client left before the end: nobody is there to be answered. What was made is billed. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

/** One request's stop. The first reason counts. */
export class Stop {
  readonly #controller = new AbortController()

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get reason(): StopReason | undefined {
    return this.signal.aborted ? this.signal.reason : undefined
  }

  stop(reason: StopReason): void {
    this.#controller.abort(reason)
  }
}

/** What a stopped request ends with; undefined when it was not, or another error says why. */
export function stoppedError(
  reason: StopReason | undefined,
  requestId: string,
): ServiceError | ClientGone | undefined {
  if (reason === 'client_gone') return new ClientGone()
  if (reason === 'timeout') {
    const message = 'The request ran longer than the limit; what was made until then is charged.'
    return new ServiceError('timeout', message, { requestId })
  }
  if (reason === 'account_frozen') {
    const message =
      'The account was frozen while the request ran; what had been sent by then is charged.'
    return new ServiceError('account_frozen', message, { requestId })
  }
  if (reason === 'member_left') {
    const message =
      'You were taken out of the account while the request ran; what had been sent is charged.'
    return new ServiceError('not_allowed', message, { requestId })
  }
  if (reason === 'shutting_down') {
    const message = 'The server is stopping. Please send the request again.'
    return new ServiceError('shutting_down', message, { requestId, retryAfterSeconds: 1 })
  }
  return undefined
}
