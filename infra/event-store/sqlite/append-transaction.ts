/**
 * The appends of one transaction, which see each other before anybody else does. What was learnt
 * about streams stays here until the commit: after a rollback nothing needs to be taken back.
 */
import { outcomeOfRepeat } from '@svc/contracts/ports/append'
import {
  type AppendOutcome,
  type AppendRequest,
  NO_STREAM,
  type StreamHead,
} from '@svc/contracts/ports/event-store'
import type { RecentlyUsed } from '../../recently-used.ts'
import type { QueuedAppend } from './append-queue.ts'
import type { EventRows } from './event-rows.ts'

export interface KnownHead extends StreamHead {
  readonly streamId: number
}

export class AppendTransaction {
  readonly #rows: EventRows
  readonly #heads: RecentlyUsed<string, KnownHead>
  readonly #changed = new Map<string, KnownHead>()
  #lastPosition: number

  constructor(rows: EventRows, heads: RecentlyUsed<string, KnownHead>, lastPosition: number) {
    this.#rows = rows
    this.#heads = heads
    this.#lastPosition = lastPosition
  }

  /** The position of the last event, those of this transaction included. */
  get lastPosition(): number {
    return this.#lastPosition
  }

  /** @returns the outcome, which is true only once the transaction is committed */
  add({ request, sealed }: QueuedAppend): AppendOutcome {
    const { stream, expected } = request
    const known = this.#headOf(stream)
    const head = known ?? NO_STREAM
    if (known !== undefined && known.revision > expected.revision) {
      return this.#outcomeOfRepeat(request, known.streamId)
    }
    if (head.revision < expected.revision || head.hash !== expected.hash) {
      return { kind: 'conflict' }
    }
    const streamId = known?.streamId ?? this.#rows.insertStream(stream)
    for (const event of sealed.events) {
      this.#lastPosition += 1
      this.#rows.insertEvent(this.#lastPosition, streamId, event)
    }
    this.#changed.set(stream, { ...sealed.head, streamId })
    return { kind: 'appended', head: sealed.head, position: BigInt(this.#lastPosition) }
  }

  /** Makes the new heads of streams known. To be called after the commit. */
  publishHeads(): void {
    for (const [stream, head] of this.#changed) this.#heads.set(stream, head)
  }

  #headOf(stream: string): KnownHead | undefined {
    const known = this.#changed.get(stream) ?? this.#heads.get(stream)
    if (known !== undefined) return known
    const streamId = this.#rows.streamId(stream)
    if (streamId === undefined) return undefined
    const stored = { ...(this.#rows.head(streamId) ?? NO_STREAM), streamId }
    this.#heads.set(stream, stored)
    return stored
  }

  #outcomeOfRepeat({ expected, events }: AppendRequest, streamId: number): AppendOutcome {
    const there = this.#rows.forwards({
      streamId,
      from: expected.revision + 1,
      limit: events.length,
      until: this.#lastPosition,
    })
    return outcomeOfRepeat(expected, events, there) ?? { kind: 'conflict' }
  }
}
