/**
 * A folded stream that answers stand on which must be of now: who may do what. What another process
 * appended counts here within a second. When the store cannot be read any more, what is folded is
 * used for a few seconds, and then nothing is believed: what is unread could take a right away.
 */
import { ServiceError } from '@svc/contracts/errors'
import type { Clock } from '@svc/contracts/ports/time'
import {
  type Decide,
  FoldedStream,
  type FoldedStreamPorts,
  type StreamFold,
} from './folded-stream.ts'

/** What was read so little before now counts as read now. */
const FRESH_MS = 500
/** How long what is older is used while the store cannot be read. */
const STALE_MS = 5_000
const RETRY_SECONDS = 1

export interface FreshStreamPorts extends FoldedStreamPorts {
  readonly clock: Clock
}

export class FreshStream {
  readonly #stream: FoldedStream
  readonly #clock: Clock
  readonly #refusal: string
  /** When it was read last. */
  #readAt = Number.NEGATIVE_INFINITY

  /** @param refusal what a caller is told while nothing can be believed */
  constructor(ports: FreshStreamPorts, fold: StreamFold, refusal: string) {
    this.#stream = new FoldedStream(ports, fold)
    this.#clock = ports.clock
    this.#refusal = refusal
  }

  /** Resolves when what is folded is fresh enough. @throws {ServiceError} `store_unavailable` */
  async refresh(): Promise<void> {
    const askedAt = this.#clock.nowMs()
    if (isWithin(FRESH_MS, this.#readAt, askedAt)) return
    try {
      await this.#stream.catchUp()
      this.#readAt = askedAt
    } catch (cause) {
      if (isWithin(STALE_MS, this.#readAt, this.#clock.nowMs())) return
      throw new ServiceError('store_unavailable', this.#refusal, {
        cause,
        retryAfterSeconds: RETRY_SECONDS,
      })
    }
  }

  /** As {@link FoldedStream.append}. */
  append(decide: Decide): Promise<void> {
    return this.#stream.append(decide)
  }
}

/** False for a moment that lies ahead: then somebody has set the clock back. */
function isWithin(boundMs: number, moment: number, now: number): boolean {
  return moment <= now && now - moment <= boundMs
}
