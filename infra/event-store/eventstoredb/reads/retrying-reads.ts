/**
 * Reads that wait for the server: what follows the log must not end because the server is away.
 * Only an outage is waited for; a broken log, or a position of another one, is told at once.
 */
import {
  type EventStore,
  type Position,
  type ReadAllRequest,
  type RecordedEvent,
  StoreClosedError,
  StoreUnavailableError,
} from '@svc/contracts/ports/event-store'
import { pause } from '../client/deadline.ts'
import { reasonOf } from '../client/server-failure.ts'
import type { Warn } from '../client/warning.ts'

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000

type Reads = Pick<EventStore, 'readAll' | 'lastPosition'>

export class RetryingReads implements Reads {
  readonly #reads: Reads
  readonly #signal: AbortSignal
  readonly #warn: Warn

  /** @param signal ends the waiting, with a {@link StoreClosedError} */
  constructor(reads: Reads, signal: AbortSignal, warn: Warn) {
    this.#reads = reads
    this.#signal = signal
    this.#warn = warn
  }

  readAll(request: ReadAllRequest): Promise<readonly RecordedEvent[]> {
    return this.#retrying(() => this.#reads.readAll(request))
  }

  lastPosition(): Promise<Position> {
    return this.#retrying(() => this.#reads.lastPosition())
  }

  async #retrying<Value>(read: () => Promise<Value>): Promise<Value> {
    for (let pauseMs = 0; ; pauseMs = nextPause(pauseMs)) {
      await pause(pauseMs, this.#signal)
      if (this.#signal.aborted) throw new StoreClosedError()
      try {
        return await read()
      } catch (error) {
        const isOutage = error instanceof StoreUnavailableError
        if (!isOutage || error instanceof StoreClosedError) throw error
        if (pauseMs === 0)
          this.#warn({ reason: reasonOf(error) }, 'failed to read the event log, retrying')
      }
    }
  }
}

function nextPause(pauseMs: number): number {
  return pauseMs === 0 ? FIRST_PAUSE_MS : Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
}
