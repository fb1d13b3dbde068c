/**
 * Slows down whoever asks again and again although it is refused. A refusal is cheap, yet a client
 * that repeats it in a loop on hundreds of connections takes the time of everybody. So an account,
 * or an address without a key, gets a number of refusals at once in each second; each one beyond
 * them is sent after a pause, one after the other, and its connection can ask nothing meanwhile.
 * Answers never wait, and a request that has waited for its turn to be refused waits once.
 */
import type { Clock, Timer } from '@svc/contracts/ports/time'
import { networkOf } from '@svc/infra/system/network'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Pace } from './pace.ts'
import { pausedFor } from './paused.ts'

/** Whoever is refused hears it by then, however many refusals are due before. */
export const REFUSAL_WAIT_MS_MAX = 20_000

export interface RefusalPausesOptions {
  readonly limits: { readonly refusalsPerSecond: number; readonly refusalPauseMs: number }
  readonly timer: Timer
  readonly clock: Clock
}

export class RefusalPauses {
  readonly #isOff: boolean
  /** Spreads those that wait, so that they do not come all at once when the pause is over. */
  readonly #pace: Pace

  constructor({ limits, ...ports }: RefusalPausesOptions) {
    const { refusalsPerSecond: perSecond, refusalPauseMs: leastWaitMs } = limits
    this.#isOff = leastWaitMs === 0
    this.#pace = new Pace({ ...ports, perSecond, leastWaitMs, waitMsMax: REFUSAL_WAIT_MS_MAX })
  }

  /** Counts a refusal of this request. Resolves when it may be sent, or the client has left. */
  async pauseBefore(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (this.#isOff || request.hasPaused) return
    await pausedFor(reply, (gone) => this.#pace.take(payerOf(request), 1, gone))
  }
}

/** Who pays for a refusal with its time: the account, or the address when nobody knows whose. */
export function payerOf({ caller, ip }: FastifyRequest): string {
  return caller?.accountId ?? networkOf(ip)
}
