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

interface Look {
  readonly beganAt: number
  /** Resolves with when it began. */
  readonly done: Promise<number>
}

export class FreshStream {
  readonly #stream: FoldedStream
  readonly #clock: Clock
  readonly #refusal: string
  /** When it was read last. */
  #readAt = Number.NEGATIVE_INFINITY
  #looking: Look | undefined
  /** The look behind that one, for whoever it is too old for: so one waits at most. */
  #next: Promise<number> | undefined

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
      this.#readAt = await this.#look(askedAt)
    } catch (cause) {
      if (isWithin(STALE_MS, this.#readAt, this.#clock.nowMs())) return
      throw new ServiceError('store_unavailable', this.#refusal, {
        cause,
        retryAfterSeconds: RETRY_SECONDS,
      })
    }
  }

  /** A look that takes long may have read the stream before what whoever asks now knows of. */
  #look(askedAt: number): Promise<number> {
    const looking = this.#looking
    if (looking === undefined) return this.#begin()
    if (isWithin(FRESH_MS, looking.beganAt, askedAt)) return looking.done
    this.#next ??= looking.done
      .then(() => this.#look(this.#clock.nowMs()))
      .finally(() => {
        this.#next = undefined
      })
    return this.#next
  }

  #begin(): Promise<number> {
    const beganAt = this.#clock.nowMs()
    const done = this.#stream
      .readNewest()
      .then(() => beganAt)
      .finally(() => {
        this.#looking = undefined
      })
    this.#looking = { beganAt, done }
    return done
  }

  /** Appends as {@link FoldedStream.append} does. */
  append(decide: Decide): Promise<void> {
    return this.#stream.append(decide)
  }
}

/** False for a moment that lies ahead: then somebody has set the clock back. */
function isWithin(boundMs: number, moment: number, now: number): boolean {
  return moment <= now && now - moment <= boundMs
}
