/**
 * Reads that wait for the server: what follows the log must not end because the server is away.
 * Only an outage is waited for; a broken log, or a position of another one, is told at once.
 */
import { Backoff } from '@svc/contracts/ports/backoff'
import {
  type EventStore,
  type Position,
  type ReadAllRequest,
  type RecordedEvent,
  StoreClosedError,
  StoreUnavailableError,
} from '@svc/contracts/ports/event-store'
import type { Timer } from '@svc/contracts/ports/time'
import { reasonOf } from '../client/server-failure.ts'
import type { Warn } from '../client/warning.ts'

/** The pauses between two tries. */
const PAUSES = { firstMs: 100, longestMs: 5_000 }

type Reads = Pick<EventStore, 'readAll' | 'lastPosition'>

export class RetryingReads implements Reads {
  readonly #reads: Reads
  readonly #signal: AbortSignal
  readonly #timer: Timer
  readonly #warn: Warn

  /** @param signal ends the waiting, with a {@link StoreClosedError} */
  constructor(reads: Reads, signal: AbortSignal, timer: Timer, warn: Warn) {
    this.#reads = reads
    this.#signal = signal
    this.#timer = timer
    this.#warn = warn
  }

  readAll(request: ReadAllRequest): Promise<readonly RecordedEvent[]> {
    return this.#retrying(() => this.#reads.readAll(request))
  }

  lastPosition(): Promise<Position> {
    return this.#retrying(() => this.#reads.lastPosition())
  }

  async #retrying<Value>(read: () => Promise<Value>): Promise<Value> {
    const backoff = new Backoff(this.#timer, PAUSES)
    for (;;) {
      if (this.#signal.aborted) throw new StoreClosedError()
      try {
        return await read()
      } catch (error) {
        const isOutage = error instanceof StoreUnavailableError
        if (!isOutage || error instanceof StoreClosedError) throw error
        if (backoff.pauses === 0) {
          this.#warn({ reason: reasonOf(error) }, 'failed to read the event log, retrying')
        }
      }
      await backoff.pause(this.#signal)
    }
  }
}
