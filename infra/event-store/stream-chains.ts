/**
 * The hash chains of all streams of a log, followed at once while the log is read from its start to
 * its end.
 *
 * A stream is in one of three conditions. Its chain holds. Its chain holds, and one of its events
 * cannot be read by this program. Its chain is broken: then it is not followed any further.
 */
import {
  BrokenChainError,
  NO_STREAM,
  type RecordedEvent,
  type StreamHead,
} from '@svc/contracts/ports/event-store'
import { verifyChain } from '@svc/contracts/ports/hash-chain'

export interface BrokenStream {
  readonly stream: string
  /** The first revision that does not fit; what lies behind it is not looked at. */
  readonly revision: number
  /** The cause, in words that end a sentence about the stream. */
  readonly cause: string
}

/** Tells why an event is none of ours; undefined when it is one. */
export type UnreadableBecause = (event: RecordedEvent) => string | undefined

/** The chains, by the names of their streams: one head each, about 200 bytes. */
export class StreamChains {
  readonly broken: BrokenStream[] = []
  /** Streams whose chain holds, by name, with the first event that cannot be read. */
  readonly unreadable = new Map<string, BrokenStream>()
  readonly #heads = new Map<string, StreamHead | 'broken'>()
  readonly #unreadableBecause: UnreadableBecause

  constructor(unreadableBecause: UnreadableBecause) {
    this.#unreadableBecause = unreadableBecause
  }

  get count(): number {
    return this.#heads.size
  }

  has(stream: string): boolean {
    return this.#heads.has(stream)
  }

  /** The streams whose chain holds. */
  sound(): readonly string[] {
    return [...this.#heads].flatMap(([stream, head]) => (head === 'broken' ? [] : [stream]))
  }

  /** Counts a stream as broken whose first event the store hides from its readers. */
  noteHidden(stream: string): void {
    this.#heads.set(stream, 'broken')
    this.unreadable.delete(stream)
    const cause =
      'the log has the event, and the event store hides it from the readers of the stream'
    this.broken.push({ stream, revision: 0, cause })
  }

  /**
   * Begins a stream in its middle.
   *
   * @param head the last event before the next one, or its revision when it is not the one that was
   *   verified before: then the stream counts as broken
   */
  begin(stream: string, head: StreamHead | number): void {
    if (typeof head === 'number') {
      this.#heads.set(stream, 'broken')
      const cause = 'the event is not the one that was signed'
      this.broken.push({ stream, revision: head, cause })
    } else this.#heads.set(stream, { revision: head.revision, hash: head.hash })
  }

  /** Follows a chain by one event. */
  follow(event: RecordedEvent): void {
    const { stream, revision } = event
    const head = this.#heads.get(stream) ?? NO_STREAM
    if (head === 'broken') return
    const unreadable = this.#unreadableBecause(event)
    try {
      this.#heads.set(stream, verifyChain(head, [event]))
    } catch (error) {
      if (!(error instanceof BrokenChainError)) throw error
      this.#heads.set(stream, 'broken')
      this.unreadable.delete(stream)
      const cause = causeOf(event, head, unreadable)
      this.broken.push({ stream, revision: error.revision, cause })
      return
    }
    if (unreadable === undefined || this.unreadable.has(stream)) return
    this.unreadable.set(stream, { stream, revision, cause: `event ${event.type}: ${unreadable}` })
  }
}

function causeOf(
  { revision, type }: RecordedEvent,
  head: StreamHead,
  unreadable: string | undefined,
): string {
  if (revision !== head.revision + 1)
    return `the event is missing, and revision ${revision} follows`
  if (unreadable !== undefined) return `event ${type}: ${unreadable}`
  return `event ${type} does not fit the chain: it was altered, or is none of ours`
}
