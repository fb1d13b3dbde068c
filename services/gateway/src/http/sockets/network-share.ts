/**
 * The connections of one remote network, each in one state:
 *
 *     silent   it was served nothing, and nothing is being answered
 *     asking   a request is being answered ──all answered──▶ resting, or silent as before
 *     resting  it was served before, and nothing is being answered
 *
 *     silent ──makes room──▶ displaced     it is open and unread, and takes nobody's room
 *     any    ──closes──────▶ closed
 *
 * The first three are counted. Whether a connection is read is another matter: the socket knows.
 */
import type { Socket } from 'node:net'
import { isRequestPaused } from '../pacing/paused.ts'

type ConnectionState = 'silent' | 'asking' | 'resting' | 'displaced' | 'closed'

/** A connection; its share changes it. */
export class Connection {
  readonly socket: Socket
  readonly share: NetworkShare
  state: ConnectionState = 'silent'
  /** How many requests are being answered: a client may send two at once. */
  requests = 0
  /** Whether a request was ever answered without an error. */
  wasServed = false

  constructor(socket: Socket, share: NetworkShare) {
    this.socket = socket
    this.share = share
  }

  get isCounted(): boolean {
    return this.state !== 'displaced' && this.state !== 'closed'
  }
}

export class NetworkShare {
  readonly network: string
  /** Those that are counted, in the order in which they came. */
  readonly #connections = new Set<Connection>()
  /** Those in one state, in the order in which they got into it. */
  readonly #silent = new Set<Connection>()
  readonly #asking = new Set<Connection>()
  #served = 0

  constructor(network: string) {
    this.network = network
  }

  get size(): number {
    return this.#connections.size
  }

  /** How many were served nothing. */
  get unserved(): number {
    return this.#connections.size - this.#served
  }

  connections(): IteratorObject<Connection> {
    return this.#connections.values()
  }

  longestSilent(): Connection | undefined {
    return this.#silent.values().next().value
  }

  /** @returns one whose request waits for its time, or else one that was served and rests */
  firstToCut(): Connection | undefined {
    const waiting = this.#asking
      .values()
      .find(({ socket }) => isRequestPaused(socket) && !socket.destroyed)
    const rests = ({ state, socket }: Connection) => state === 'resting' && !socket.destroyed
    return waiting ?? this.#connections.values().find(rests)
  }

  add(socket: Socket): Connection {
    const connection = new Connection(socket, this)
    this.#connections.add(connection)
    this.#silent.add(connection)
    return connection
  }

  asks(connection: Connection): void {
    connection.requests += 1
    this.#become(connection, 'asking')
  }

  /** One of its requests was answered, or its answer was cut. */
  answered(connection: Connection, withoutError: boolean): void {
    if (!connection.isCounted) return
    connection.requests -= 1
    if (withoutError && !connection.wasServed) {
      connection.wasServed = true
      this.#served += 1
    }
    if (connection.requests === 0) {
      this.#become(connection, connection.wasServed ? 'resting' : 'silent')
    }
  }

  /** Counts it no more. @returns false when it was not counted */
  remove(connection: Connection, state: 'displaced' | 'closed'): boolean {
    if (!this.#connections.delete(connection)) return false
    if (connection.wasServed) this.#served -= 1
    this.#become(connection, state)
    return true
  }

  #become(connection: Connection, state: ConnectionState): void {
    if (connection.state === state) return
    connection.state = state
    this.#silent.delete(connection)
    this.#asking.delete(connection)
    if (state === 'silent') this.#silent.add(connection)
    if (state === 'asking') this.#asking.add(connection)
  }
}
