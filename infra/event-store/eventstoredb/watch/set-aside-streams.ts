/**
 * Streams of ours that the server was told to shorten, to hide or to delete: nothing is built on
 * them until an operator has put them right.
 *
 * Such orders are events too, and stand in the log that is read anyway: the metadata of a stream in
 * `$$` and its name, of which the last one counts, and a deletion for ever in the stream itself.
 * The events of the stream are still in the log then, until the server removes them.
 */
import { DamagedStreamError, type Position, START } from '@svc/contracts/ports/event-store'
import type { Warn } from '../client/warning.ts'
import { METADATA_PREFIX } from '../layout/stream-prefix.ts'
import { jsonValueOf, type ServerEvent } from '../messages/server-event.ts'

const DELETED_FOR_EVER = '$streamDeleted'
const DELETED = 'it was deleted for ever'
/**
 * What a stream's metadata can hold against us; a stream that is deleted has a `$tb` without end.
 */
const harmfulKeys = ['$maxAge', '$maxCount', '$tb', '$acl'] as const
const DELETED_BEFORE = 2 ** 63

/** An order, in words that end a sentence about the stream. */
export type Order = string

export interface SetAsideStream {
  /** The server's name of the stream. */
  readonly stream: string
  readonly order: Order
}

export class SetAsideStreams {
  readonly #prefix: string
  readonly #warn: Warn
  /**
   * The orders by the server's names. There is one entry for each stream that somebody has given
   * such an order for.
   */
  readonly #orders = new Map<string, Order>()
  /**
   * The position up to which everything was looked at: a log that is read again has older orders.
   */
  #lookedUpTo: Position = START

  constructor(prefix: string, warn: Warn) {
    this.#prefix = prefix
    this.#warn = warn
  }

  /** Notes an order. To be called with every event of the log, in its order. */
  note(event: ServerEvent): void {
    // A deletion for ever is never taken back: it counts however long ago it was.
    if (event.position <= this.#lookedUpTo && event.type !== DELETED_FOR_EVER) return
    if (event.position > this.#lookedUpTo) this.#lookedUpTo = event.position
    const stream = describedStream(event)
    if (stream?.startsWith(this.#prefix)) this.set(stream, orderIn(event))
  }

  /** @param order undefined when the stream is as it should be */
  set(stream: string, order: Order | undefined): void {
    const known = this.#orders.get(stream)
    if (known === order) return
    if (order === undefined) {
      this.#orders.delete(stream)
      this.#warn({ stream }, 'stream is whole again, going on with it')
    } else {
      this.#orders.set(stream, order)
      // An append behind a deletion makes the server give an order of its own: that is no news.
      if (known !== undefined && order !== DELETED) return
      this.#warn({ stream, reason: order }, 'stream set aside, its account is refused')
    }
  }

  /**
   * Notes a deletion that somebody meets before it is seen in the log.
   *
   * @param stream by our name
   */
  noteDeleted(stream: string, cause: unknown): DamagedStreamError {
    this.set(this.#prefix + stream, DELETED)
    return new DamagedStreamError(stream, DELETED, { cause })
  }

  /** @throws {DamagedStreamError} when nothing may be built on it */
  check(stream: string): void {
    const order = this.#orders.get(this.#prefix + stream)
    if (order !== undefined) throw new DamagedStreamError(stream, order)
  }

  /** @param stream by our name */
  holds(stream: string): boolean {
    return this.#orders.has(this.#prefix + stream)
  }

  list(): readonly SetAsideStream[] {
    return [...this.#orders].map(([stream, order]) => ({ stream, order }))
  }
}

/** The stream that an event gives an order about; undefined when it gives none. */
function describedStream({ stream, type }: ServerEvent): string | undefined {
  if (type === DELETED_FOR_EVER) return stream
  return stream.startsWith(METADATA_PREFIX) ? stream.slice(METADATA_PREFIX.length) : undefined
}

/** @returns undefined when the order harms nothing */
export function orderIn({ type, data }: ServerEvent): Order | undefined {
  if (type === DELETED_FOR_EVER) return DELETED
  const value = jsonValueOf(data)
  if (typeof value !== 'object' || value === null) return undefined
  const settings = new Map<string, unknown>(Object.entries(value))
  if (Number(settings.get('$tb')) >= DELETED_BEFORE) return 'it was deleted'
  // Nothing stands before revision 0.
  const key = harmfulKeys.find((known) => settings.has(known) && settings.get(known) !== 0)
  return key && `its metadata has ${key}`
}
