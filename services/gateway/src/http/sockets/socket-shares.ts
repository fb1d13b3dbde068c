/**
 * Shares the connections among remote addresses, so that a flood of silent connections locks out
 * nobody, not even others behind its address. The states of a connection: `network-share.ts`.
 *
 *     a newcomer comes              who makes room for it
 *     ─────────────────────────────────────────────────────────────────────────────────────
 *     its address has its share     a silent one of the address
 *     all connections are taken     of the addresses that have no fewer, the largest first: a
 *                                   silent one, or, where the address has more, one whose
 *                                   request waits for its time, or one that rests
 *     there is none of these        the newcomer has to go
 *
 * A request that runs, or waits for its turn, is never cut for a newcomer. The last few connections
 * are for addresses that have few, so that a flood of requests keeps nobody out. A silent one that
 * makes room is closed a moment later, so that a flood does not connect again at once.
 *
 * To accept a connection is work as well. A connection is left unread for one of two reasons:
 *
 *     paced      its address has many that were served nothing, of which `newSocketsPerSecond` more
 *                are read in a second
 *     put off    first requests and ends come all at once, and are spread over turns of the event
 *                loop (`pacing/busy-turns.ts`)
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock, Timer } from '@svc/contracts/ports/time'
import { networkOf } from '@svc/infra/system/network'
import type { BusyTurns } from '../pacing/busy-turns.ts'
import { Pace } from '../pacing/pace.ts'
import { DisplacedSockets } from './displaced-sockets.ts'
import { type Connection, NetworkShare } from './network-share.ts'

const FIRST_ERROR_STATUS = 400
/** Connections of one address that are read at once; those beyond are read at a pace. */
const UNSERVED_AT_ONCE = 50
/** What this time allows is read at once: to begin with hundreds holds up everybody. */
const BEGINNINGS_BURST_MS = 100
/** The part of all connections for addresses with few alone, even when no other can be cut. */
const RESERVED_SHARE = 0.03
const FEW_SOCKETS = 8

/**
 * Connections that made room, as a share of all, beside them. Node drops what comes beyond twice
 * as many, and with them everybody's.
 */
const DISPLACED_SHARE = 0.75

/** Bounds of connections; what each means: `HttpLimits`. */
export interface SocketLimits {
  readonly sockets: number
  readonly socketsPerAddress: number
  readonly newSocketsPerSecond: number
  readonly displacedSocketMs: number
  readonly headersTimeoutMs: number
}

export interface SocketSharesOptions {
  readonly limits: SocketLimits
  readonly timer: Timer
  readonly clock: Clock
  readonly turns: BusyTurns
  /** Whether many callers stand behind this address, so that it has no share. */
  readonly isProxy: (address: string) => boolean
}

export class SocketShares {
  readonly #options: SocketSharesOptions
  readonly #beginnings: Pace
  readonly #displaced: DisplacedSockets
  readonly #turns: BusyTurns
  /** Shares by network; none is empty. */
  readonly #shares = new Map<string, NetworkShare>()
  readonly #connectionOf = new WeakMap<Socket, Connection>()
  #count = 0
  /** The turn in which those that were served nothing were put off. */
  #unservedPutOffIn = -1

  constructor(options: SocketSharesOptions) {
    const { newSocketsPerSecond: perSecond, headersTimeoutMs: waitMsMax } = options.limits
    const { sockets, displacedSocketMs: ms } = options.limits
    const max = Math.floor(sockets * DISPLACED_SHARE)
    this.#options = options
    this.#displaced = new DisplacedSockets({ ...options, ms, max })
    this.#turns = options.turns
    const burstMs = BEGINNINGS_BURST_MS
    this.#beginnings = new Pace({ ...options, perSecond, waitMsMax, burstMs })
  }

  watch(server: Server): void {
    server.on('connection', (socket) => this.#connected(socket))
    server.on('request', (request, response) => this.#asked(request, response))
  }

  #connected(socket: Socket): void {
    const { limits, isProxy } = this.#options
    const address = socket.remoteAddress ?? ''
    const network = networkOf(address)
    const share = this.#shares.get(network) ?? new NetworkShare(network)
    const isBeyondShare = share.size >= limits.socketsPerAddress && !isProxy(address)
    const isFull = this.#count >= limits.sockets - this.#reservedFor(share)
    if (isBeyondShare ? !this.#displaceSilent(share) : isFull && !this.#makeRoom(share)) {
      socket.destroy()
      return
    }
    this.#shares.set(network, share)
    const connection = share.add(socket)
    this.#connectionOf.set(socket, connection)
    this.#count += 1
    socket.once('close', () => this.#remove(connection, 'closed'))
    // A reset is an error, and neither waits for the close.
    socket.once('end', () => this.#ends(share)).once('error', () => this.#ends(share))
    if (share.unserved > UNSERVED_AT_ONCE && !isProxy(address)) void this.#readAtPace(connection)
  }

  /** Connections that others have to leave free. */
  #reservedFor(newcomers: NetworkShare): number {
    const { sockets } = this.#options.limits
    return newcomers.size < FEW_SOCKETS ? 0 : Math.floor(sockets * RESERVED_SHARE)
  }

  /** Begins with the address that has the most; who has less than the newcomer's gives nothing. */
  #makeRoom({ size }: NetworkShare): boolean {
    const bySize = [...this.#shares.values()]
      .filter((share) => share.size >= size)
      .sort((one, other) => other.size - one.size)
    return bySize.some(
      (share) => this.#displaceSilent(share) || (share.size > size + 1 && cutOne(share)),
    )
  }

  /** @returns whether there was such a connection */
  #displaceSilent(share: NetworkShare): boolean {
    const connection = share.longestSilent()
    if (connection === undefined) return false
    this.#remove(connection, 'displaced')
    this.#displaced.add(connection.socket)
    return true
  }

  /** Counts it no more. Called again it does nothing. */
  #remove(connection: Connection, state: 'displaced' | 'closed'): void {
    const { share } = connection
    if (!share.remove(connection, state)) return
    this.#count -= 1
    if (share.size === 0) this.#shares.delete(share.network)
  }

  #asked({ socket }: IncomingMessage, response: ServerResponse): void {
    const connection = this.#connectionOf.get(socket)
    if (!connection?.isCounted) return
    const { share } = connection
    if (!connection.wasServed && this.#turns.isOver()) this.#putOffUnserved()
    share.asks(connection)
    response.once('close', () => {
      share.answered(connection, response.statusCode < FIRST_ERROR_STATUS)
    })
  }

  /** They come in bursts as well, and those that were served end like all others. */
  #ends(share: NetworkShare): void {
    if (!this.#turns.isOver()) return
    this.#putOffUnserved()
    this.#putOff(share.connections())
  }

  #putOffUnserved(): void {
    if (this.#unservedPutOffIn === this.#turns.number) return
    this.#unservedPutOffIn = this.#turns.number
    for (const share of this.#shares.values()) {
      this.#putOff(share.connections().filter(({ wasServed }) => !wasServed))
    }
  }

  /** Reads nothing more of them in this turn; who is unread for another reason stays so. */
  #putOff(connections: Iterable<Connection>): void {
    for (const connection of connections) {
      const { socket, share } = connection
      if (socket.isPaused() || socket.destroyed) continue
      socket.pause()
      this.#turns.putOff(share.network, () => resume(connection))
    }
  }

  /** Leaves it unread until its time has come. */
  async #readAtPace(connection: Connection): Promise<void> {
    const { socket, share } = connection
    const gone = new AbortController()
    const abort = () => gone.abort()
    socket.once('close', abort)
    // Node begins to read a new connection on the next tick, and takes no pause before that.
    process.nextTick(() => socket.pause())
    await this.#beginnings.take(share.network, 1, gone.signal)
    socket.off('close', abort)
    process.nextTick(() => resume(connection))
  }
}

/** Nothing is read of one that made room meanwhile. */
function resume({ state, socket }: Connection): void {
  if (state !== 'displaced') socket.resume()
}

/** @returns whether there was one that may be cut for a newcomer */
function cutOne(share: NetworkShare): boolean {
  const chosen = share.firstToCut()
  chosen?.socket.destroy()
  return chosen !== undefined
}
