/** Appends that wait for the next transaction. Everything about it is bounded. */
import type { AppendOutcome, AppendRequest } from '@svc/contracts/ports/event-store'
import type { SealedAppend } from '@svc/contracts/ports/hash-chain'

export interface QueuedAppend {
  readonly request: AppendRequest
  readonly sealed: SealedAppend
  readonly resolve: (outcome: AppendOutcome) => void
  readonly reject: (error: Error) => void
}

export const QUEUED_APPENDS_MAX = 4_096
const QUEUED_BYTES_MAX = 64 * 1024 * 1024

/** The most of one transaction, which holds up the event loop: about 10 ms at these bounds. */
const BATCH_APPENDS_MAX = 256
const BATCH_EVENTS_MAX = 1_000
const BATCH_BYTES_MAX = 2 * 1024 * 1024

export class AppendQueue {
  readonly #waiting: QueuedAppend[] = []
  #bytes = 0

  get length(): number {
    return this.#waiting.length
  }

  /** @returns false when the queue is full; the append is then not in it */
  add(append: QueuedAppend): boolean {
    if (this.#waiting.length >= QUEUED_APPENDS_MAX) return false
    if (this.#bytes + append.sealed.bytes > QUEUED_BYTES_MAX) return false
    this.#waiting.push(append)
    this.#bytes += append.sealed.bytes
    return true
  }

  /** The oldest appends that fit one transaction: always at least one of those that wait. */
  takeBatch(): QueuedAppend[] {
    let appends = 0
    let events = 0
    let bytes = 0
    for (const append of this.#waiting) {
      events += append.sealed.events.length
      bytes += append.sealed.bytes
      const fits = events <= BATCH_EVENTS_MAX && bytes <= BATCH_BYTES_MAX
      if (appends > 0 && (appends >= BATCH_APPENDS_MAX || !fits)) break
      appends += 1
    }
    const batch = this.#waiting.splice(0, appends)
    for (const append of batch) this.#bytes -= append.sealed.bytes
    return batch
  }
}
