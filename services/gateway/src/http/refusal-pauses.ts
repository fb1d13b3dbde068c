/**
 * Slows down whoever asks again and again although it is refused. A refusal is cheap, yet a client
 * that repeats it in a loop on hundreds of connections takes the time of everybody. So an account,
 * or an address without a key, gets a number of refusals at once in each second; each one beyond
 * them is sent after a pause, and its connection can ask nothing meanwhile. Answers never wait.
 */
import type { RateLimit } from '@svc/contracts/ports/rate-limits'
import { pause, type Timer } from '@svc/contracts/ports/time'
import { MemoryRateLimits } from '@svc/infra/rate-limits/memory-rate-limits'
import { networkOf } from '@svc/infra/system/network'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpLimits } from './limits.ts'

const WINDOW_SECONDS = 1

export interface RefusalPausesOptions {
  readonly limits: Pick<HttpLimits, 'refusalsPerSecond' | 'refusalPauseMs'>
  readonly timer: Timer
}

export class RefusalPauses {
  readonly #pauseMs: number
  readonly #timer: Timer
  /** Counted in this process alone: it is its own time that is shared here. */
  readonly #rate: RateLimit

  constructor({ limits, timer }: RefusalPausesOptions) {
    this.#pauseMs = limits.refusalPauseMs
    this.#timer = timer
    this.#rate = new MemoryRateLimits().open('refusals', limits.refusalsPerSecond, WINDOW_SECONDS)
  }

  /** Counts a refusal of this request. Resolves when it may be sent, or the client has left. */
  async pauseBefore(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (this.#pauseMs === 0) return
    const { allowed } = await this.#rate.take(request.caller?.accountId ?? networkOf(request.ip))
    if (allowed) return
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    await pause(this.#timer, this.#pauseMs, gone.signal)
  }
}
