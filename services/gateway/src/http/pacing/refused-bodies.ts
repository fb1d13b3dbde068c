/**
 * Reads and discards what a refused request still sends: a client that is cut off while it sends
 * sees a broken pipe instead of the refusal, and sends it all again. Whoever is refused often and
 * sends much takes the time of all, so an account, or an address without a key, has so many bytes
 * discarded in a second; the rest stays with its sender until its time has come.
 */
import type { Clock, Timer } from '@svc/contracts/ports/time'
import type { FastifyRequest } from 'fastify'
import { Pace } from './pace.ts'
import { payerOf } from './refusal-pauses.ts'

/** As large as the largest bodies that the vendors of the formats take. */
export const DISCARDED_BYTES_MAX = 32 * 1024 * 1024

export interface RefusedBodiesOptions {
  readonly limits: { readonly smallBodyBytes: number; readonly bodyBytesPerSecond: number }
  readonly timer: Timer
  readonly clock: Clock
}

export class RefusedBodies {
  readonly #smallBodyBytes: number
  readonly #pace: Pace

  constructor({ limits, ...ports }: RefusedBodiesOptions) {
    this.#smallBodyBytes = limits.smallBodyBytes
    this.#pace = new Pace({ ...ports, perSecond: limits.bodyBytesPerSecond })
  }

  /**
   * Before the refusal is sent. Small bodies are bounded by the pauses between refusals.
   *
   * @param bytes of the body; undefined where nobody knows
   */
  discard(request: FastifyRequest, bytes: number | undefined): void {
    const { raw } = request
    const isSmall = bytes !== undefined && bytes <= this.#smallBodyBytes
    if (isSmall || raw.complete || raw.destroyed) return
    const payer = payerOf(request)
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
      void this.#pace.take(payer, chunk.length, gone.signal).then(() => raw.resume())
    })
  }
}
