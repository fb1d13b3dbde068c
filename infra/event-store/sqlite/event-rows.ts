/** The rows of the event log and their SQL: all statements that the store uses, prepared once. */

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { RecordedEvent, StreamHead } from '@svc/contracts/ports/event-store'
import type { SealedEvent } from '@svc/contracts/ports/hash-chain'

/** Rows come as arrays and ids as hex text: that reads twice as fast as objects and BLOBs. */
type EventRow = readonly [
  position: number,
  streamId: number,
  revision: number,
  id: string,
  type: string,
  data: string,
  metadata: string,
  hash: string,
]

// Names of streams and lower case are put in here, not there: a third of the time of a page.
const SELECT_EVENTS = `
  SELECT position, stream_id, revision, hex(id), type, data, metadata, hex(hash) FROM event`

/**
 * How many names of streams are kept. This is checked between pages: with the names that one page
 * adds, they take 2 MB at most.
 */
const NAMES_KEPT_MAX = 10_000

const ID_BYTES = 16
const HASH_BYTES = 32
const DASH = 0x2d

/** Asks for a page of one stream. */
export interface PageRequest {
  readonly streamId: number
  /** The revision to begin at. */
  readonly from: number
  readonly limit: number
  /** The last position that may be seen. */
  readonly until: number
}

export class EventRows {
  /**
   * The names of streams by their ids. Only pages of all events fill it: they are read outside of
   * transactions, and a stream that is committed keeps its name for ever. The id of one that is
   * rolled back is given to another.
   */
  readonly #names = new Map<number, string>()
  readonly #selectStream: StatementSync
  readonly #selectName: StatementSync
  readonly #insertStream: StatementSync
  readonly #selectHead: StatementSync
  readonly #selectForwards: StatementSync
  readonly #selectBackwards: StatementSync
  readonly #selectAll: StatementSync
  readonly #selectAllBackwards: StatementSync
  readonly #selectLastPosition: StatementSync
  readonly #selectId: StatementSync
  readonly #selectById: StatementSync
  readonly #insertEvent: StatementSync
  /**
   * The bytes of the event that is inserted. They are made once, because each insert would make
   * two.
   */
  readonly #idBytes = new Uint8Array(ID_BYTES)
  readonly #hashBytes = new Uint8Array(HASH_BYTES)

  constructor(database: DatabaseSync) {
    const prepare = (sql: string): StatementSync => {
      const statement = database.prepare(sql)
      statement.setReturnArrays(true)
      return statement
    }
    this.#selectStream = prepare('SELECT id FROM stream WHERE name = ?')
    this.#selectName = prepare('SELECT name FROM stream WHERE id = ?')
    this.#insertStream = prepare('INSERT INTO stream (name) VALUES (?)')
    this.#selectHead = prepare(
      `SELECT revision, lower(hex(hash)) FROM event
       WHERE stream_id = ? ORDER BY revision DESC LIMIT 1`,
    )
    this.#selectForwards = prepare(
      `${SELECT_EVENTS} WHERE stream_id = ? AND revision >= ? AND position <= ?
       ORDER BY revision LIMIT ?`,
    )
    this.#selectBackwards = prepare(
      `${SELECT_EVENTS} WHERE stream_id = ? AND revision <= ? AND position <= ?
       ORDER BY revision DESC LIMIT ?`,
    )
    this.#selectAll = prepare(
      `${SELECT_EVENTS} WHERE position > ? AND position <= ? ORDER BY position LIMIT ?`,
    )
    this.#selectAllBackwards = prepare(
      `${SELECT_EVENTS} WHERE position <= ? ORDER BY position DESC LIMIT ?`,
    )
    this.#selectById = prepare(`${SELECT_EVENTS} WHERE id = ? AND position <= ?`)
    this.#selectLastPosition = prepare('SELECT max(position) FROM event')
    this.#selectId = prepare('SELECT 1 FROM event WHERE id = ?')
    this.#insertEvent = prepare(
      `INSERT INTO event (position, stream_id, revision, id, type, data, metadata, hash)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
  }

  streamId(name: string): number | undefined {
    return columnsOf<[number]>(this.#selectStream.get(name))?.[0]
  }

  insertStream(name: string): number {
    return Number(this.#insertStream.run(name).lastInsertRowid)
  }

  head(streamId: number): StreamHead | undefined {
    const row = columnsOf<[number, string]>(this.#selectHead.get(streamId))
    return row && { revision: row[0], hash: row[1] }
  }

  forwards({ streamId, from, limit, until }: PageRequest): RecordedEvent[] {
    const name = this.#nameOf(streamId)
    return eventsOf(this.#selectForwards.all(streamId, from, until, limit), () => name)
  }

  /** Reads a page of one stream, the newest event first. */
  backwards({ streamId, from, limit, until }: PageRequest): RecordedEvent[] {
    const name = this.#nameOf(streamId)
    return eventsOf(this.#selectBackwards.all(streamId, from, until, limit), () => name)
  }

  all(after: bigint, limit: number, until: number): RecordedEvent[] {
    return this.#withNames(this.#selectAll.all(after, until, limit))
  }

  /** Reads a page of all events, the newest first. */
  allBackwards(from: number, limit: number): RecordedEvent[] {
    return this.#withNames(this.#selectAllBackwards.all(from, limit))
  }

  /** The position of the last event; -1 when there is none. */
  lastPosition(): number {
    return columnsOf<[number | null]>(this.#selectLastPosition.get())?.[0] ?? -1
  }

  insertEvent(position: number, streamId: number, event: SealedEvent): void {
    const { revision, id, type, data, metadata, hash } = event
    readHex(id, this.#idBytes)
    readHex(hash, this.#hashBytes)
    // SQLite copies what is bound, so the buffers can be used again. `run` would make an object of
    // each result.
    this.#insertEvent.get(
      position,
      streamId,
      revision,
      this.#idBytes,
      type,
      data,
      metadata,
      this.#hashBytes,
    )
  }

  /** Whether any stream holds an event of this id. */
  holds(eventId: string): boolean {
    return this.#selectId.get(readHex(eventId, new Uint8Array(ID_BYTES))) !== undefined
  }

  /** @param eventId a UUID */
  ofId(eventId: string, until: number): RecordedEvent | undefined {
    const rows = this.#selectById.all(readHex(eventId, new Uint8Array(ID_BYTES)), until)
    return eventsOf(rows, (streamId) => this.#nameOf(streamId))[0]
  }

  /** Names the streams of these rows. A page has few of them, and their names are kept. */
  #withNames(rows: unknown): RecordedEvent[] {
    if (this.#names.size > NAMES_KEPT_MAX) this.#names.clear()
    return eventsOf(rows, (streamId) => {
      const known = this.#names.get(streamId)
      if (known !== undefined) return known
      const name = this.#nameOf(streamId)
      this.#names.set(streamId, name)
      return name
    })
  }

  /** An event whose stream row is gone must still be seen: its broken chain is the evidence. */
  #nameOf(streamId: number): string {
    const name = columnsOf<[string]>(this.#selectName.get(streamId))?.[0]
    return name ?? `unknown stream ${streamId}`
  }
}

function eventsOf(rows: unknown, nameOf: (streamId: number) => string): RecordedEvent[] {
  return (rows as readonly EventRow[]).map(
    ([position, streamId, revision, id, type, data, metadata, hash]) => ({
      stream: nameOf(streamId),
      revision,
      position: BigInt(position),
      id: uuidOf(id),
      type,
      data,
      metadata,
      hash: hash.toLowerCase(),
    }),
  )
}

function columnsOf<Columns extends readonly unknown[]>(row: unknown): Columns | undefined {
  return row as Columns | undefined
}

/** Reads lower-case hex into bytes that it fills. Dashes, as a UUID has them, are passed over. */
function readHex(text: string, bytes: Uint8Array): Uint8Array {
  let at = 0
  for (let index = 0; index < bytes.length; index += 1) {
    if (text.charCodeAt(at) === DASH) at += 1
    bytes[index] = (nibbleOf(text.charCodeAt(at)) << 4) | nibbleOf(text.charCodeAt(at + 1))
    at += 2
  }
  return bytes
}

/** The value of one of the characters 0 to 9 and a to f: their codes differ in one bit. */
function nibbleOf(code: number): number {
  return (code & 0xf) + (code >> 6) * 9
}

function uuidOf(upperCaseHex: string): string {
  const hex = upperCaseHex.toLowerCase()
  const [a, b, c, d] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)]
  return `${a}-${b}-${c}-${d}-${hex.slice(20)}`
}
