/**
 * Slows down whoever asks again and again although it is refused. A refusal is cheap, yet a client
 * that repeats it in a loop on hundreds of connections takes the time of everybody. So an account,
 * or an address without a key, gets a number of refusals at once in each second; each one beyond
 * them is sent after a pause, one after the other, and its connection can ask nothing meanwhile.
 * Answers never wait.
 */
import type { Clock, Timer } from '@svc/contracts/ports/time'
import { networkOf } from '@svc/infra/system/network'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpLimits } from '../limits.ts'
import { Pace } from './pace.ts'

export interface RefusalPausesOptions {
  readonly limits: Pick<HttpLimits, 'refusalsPerSecond' | 'refusalPauseMs'>
  readonly timer: Timer
  readonly clock: Clock
}

export class RefusalPauses {
  readonly #isOff: boolean
  /** Those that wait do not come all at once when the pause is over. */
  readonly #pace: Pace

  constructor({ limits, ...ports }: RefusalPausesOptions) {
    const { refusalsPerSecond: perSecond, refusalPauseMs: leastWaitMs } = limits
    this.#isOff = leastWaitMs === 0
    this.#pace = new Pace({ ...ports, perSecond, leastWaitMs })
  }

  /** Counts a refusal of this request. Resolves when it may be sent, or the client has left. */
  async pauseBefore(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (this.#isOff) return
    const gone = new AbortController()
    const leave = (): void => gone.abort()
    reply.raw.once('close', leave)
    await this.#pace.take(request.caller?.accountId ?? networkOf(request.ip), 1, gone.signal)
    reply.raw.off('close', leave)
  }
}
