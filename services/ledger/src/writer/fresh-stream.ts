/**
 * A folded stream for decisions that need its newest events: who may do what. An event that another
 * process appends counts here within a second. When the store does not answer, the folded state is
 * used for a few seconds more. After that every decision is refused, because an event that was not
 * read could take a right away.
 */
import { ServiceError } from '@svc/contracts/errors'
import type { Clock } from '@svc/contracts/ports/time'
import {
  type Decide,
  FoldedStream,
  type FoldedStreamPorts,
  type StreamFold,
} from './folded-stream.ts'

/** A state that was read no longer ago than this needs no new read. */
const FRESH_MS = 500
/** How long after its reading a state may be used while the store does not answer. */
const STALE_MS = 5_000
const RETRY_SECONDS = 1

export interface FreshStreamPorts extends FoldedStreamPorts {
  readonly clock: Clock
}

/** One reading of the stream to its end. */
interface Look {
  /** In milliseconds since 1970. */
  readonly beganAt: number
  /** Resolves to `beganAt` when the reading has ended. */
  readonly done: Promise<number>
}

export class FreshStream {
  readonly #stream: FoldedStream
  readonly #clock: Clock
  readonly #refusal: string
  /** When the last reading that succeeded began, in milliseconds since 1970. */
  #readAt = Number.NEGATIVE_INFINITY
  #looking: Look | undefined
  /** The next look, shared by all callers for whom the one under way began too early. */
  #next: Promise<number> | undefined

  /** @param refusal the message of the error while the state is too old to decide on */
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

  /** A look that began long ago may have missed an event that the caller knows of. */
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

/** Whether the moment is at most that long ago; false when the clock was set back since. */
function isWithin(boundMs: number, moment: number, now: number): boolean {
  return moment <= now && now - moment <= boundMs
}
