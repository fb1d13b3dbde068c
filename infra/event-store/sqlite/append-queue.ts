/** Appends that wait for the next transaction. Everything about it is bounded. */
import type { AppendOutcome, AppendRequest } from '@svc/contracts/ports/event-store'
import type { SealedAppend } from '@svc/contracts/ports/hash-chain'

export interface QueuedAppend {
  readonly request: AppendRequest
  readonly sealed: SealedAppend
  /** Size of data and metadata, in UTF-16 units. */
  readonly size: number
  readonly resolve: (outcome: AppendOutcome) => void
  readonly reject: (error: Error) => void
}

export const MAX_QUEUED_APPENDS = 4_096
const MAX_QUEUED_SIZE = 64 * 1024 * 1024

/** One transaction holds up the event loop: about 10 ms at these bounds. */
const MAX_BATCH_APPENDS = 256
const MAX_BATCH_EVENTS = 1_000
const MAX_BATCH_SIZE = 2 * 1024 * 1024

export class AppendQueue {
  readonly #waiting: QueuedAppend[] = []
  #size = 0

  get length(): number {
    return this.#waiting.length
  }

  /** @returns false when the queue is full; the append is then not in it */
  add(append: QueuedAppend): boolean {
    if (this.#waiting.length >= MAX_QUEUED_APPENDS) return false
    if (this.#size + append.size > MAX_QUEUED_SIZE) return false
    this.#waiting.push(append)
    this.#size += append.size
    return true
  }

  /** The oldest appends that fit one transaction: always at least one of those that wait. */
  takeBatch(): QueuedAppend[] {
    let appends = 0
    let events = 0
    let size = 0
    for (const append of this.#waiting) {
      events += append.sealed.events.length
      size += append.size
      const fits = events <= MAX_BATCH_EVENTS && size <= MAX_BATCH_SIZE
      if (appends > 0 && (appends >= MAX_BATCH_APPENDS || !fits)) break
      appends += 1
    }
    const batch = this.#waiting.splice(0, appends)
    for (const append of batch) this.#size -= append.size
    return batch
  }
}

export function sizeOf(request: AppendRequest): number {
  return request.events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0)
}
