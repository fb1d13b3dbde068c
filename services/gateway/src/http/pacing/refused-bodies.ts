/**
 * Reads and discards what a refused request still sends: a client that is cut off while it sends
 * sees a broken pipe instead of the refusal, and sends it all again. Whoever is refused often and
 * sends much takes the time of all: to discard 4 MB costs several times what the refusal costs, and
 * half of it on threads of V8 that collect the garbage. So an account has its
 * `bodyBytesPerSecond` discarded; one without credit, or an address without a key, has one large
 * body discarded at once and an eighth of those bytes in a second. The rest stays with its sender
 * until its time has come.
 */
import type { Clock, Timer } from '@svc/contracts/ports/time'
import type { FastifyRequest } from 'fastify'
import { Pace } from './pace.ts'
import { payerOf } from './refusal-pauses.ts'

/** This is as large as the largest bodies that the vendors of the formats take. */
export const DISCARDED_BYTES_MAX = 32 * 1024 * 1024
/** The part of an account's bytes per second that those get who pay for nothing. */
const UNPAID_SHARE = 1 / 8
const MS_PER_SECOND = 1_000

export interface RefusedBodiesOptions {
  readonly limits: {
    /** Bytes of the largest body. */
    readonly bodyBytes: number
    readonly smallBodyBytes: number
    readonly bodyBytesPerSecond: number
  }
  readonly timer: Timer
  readonly clock: Clock
}

export class RefusedBodies {
  readonly #smallBodyBytes: number
  readonly #pace: Pace
  readonly #unpaidPace: Pace

  constructor({ limits, ...ports }: RefusedBodiesOptions) {
    const { bodyBytes, smallBodyBytes, bodyBytesPerSecond } = limits
    const perSecond = bodyBytesPerSecond * UNPAID_SHARE
    const burstMs = (bodyBytes / perSecond) * MS_PER_SECOND
    this.#smallBodyBytes = smallBodyBytes
    this.#pace = new Pace({ ...ports, perSecond: bodyBytesPerSecond })
    this.#unpaidPace = new Pace({ ...ports, perSecond, burstMs })
  }

  /**
   * Reads and drops the body before the refusal is sent. Small bodies are bounded by the pauses
   * between refusals.
   *
   * @param bytes of the body; undefined where nobody knows
   */
  discard(request: FastifyRequest, bytes: number | undefined): void {
    const { raw } = request
    const isSmall = bytes !== undefined && bytes <= this.#smallBodyBytes
    if (isSmall || raw.complete || raw.destroyed) return
    const payer = payerOf(request)
    const pace = request.caller === null || request.hasPaused ? this.#unpaidPace : this.#pace
    const gone = new AbortController()
    let discarded = 0
    raw.once('close', () => gone.abort())
    raw.on('data', (chunk: Buffer) => {
      discarded += chunk.length
      if (discarded > DISCARDED_BYTES_MAX) {
        raw.destroy()
        return
      }
      raw.pause()
      void pace.take(payer, chunk.length, gone.signal).then(() => raw.resume())
    })
  }
}
