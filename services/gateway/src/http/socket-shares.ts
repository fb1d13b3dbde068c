/**
 * Shares the connections among remote addresses. When an address has its share, or all are taken,
 * a connection that was served nothing makes room: one that is silent, or whose requests were
 * refused. So a flood of silent connections locks out nobody, not even others behind its address.
 * When all are taken, an address that has more of them than the newcomer's gives way also with
 * those that wait for their time, and then with those that were served and rest. A request that
 * runs, or waits for its turn, is never cut for a newcomer; where all are such, it has to go. The
 * last few are for addresses that have few, so that a flood of requests keeps nobody out. What was
 * served nothing and makes room is closed a moment later, so that a flood does not connect again at
 * once.
 *
 * To accept a connection is work as well. Of an address with many that were served nothing only
 * `newSocketsPerSecond` more are read in a second; the others stay unread until their turn. First
 * requests and ends that come all at once are spread over turns of the event loop.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock, Timer } from '@svc/contracts/ports/time'
import { networkOf } from '@svc/infra/system/network'
import { DisplacedSockets } from './displaced-sockets.ts'
import type { HttpLimits } from './limits.ts'
import type { BusyTurns } from './pacing/busy-turns.ts'
import { Pace } from './pacing/pace.ts'
import { isPaused } from './pacing/paused.ts'

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

/** The connections of one remote address. */
interface Share {
  readonly network: string
  readonly sockets: Set<Socket>
  /** Sockets that were served nothing and are being answered nothing, the oldest first. */
  readonly silent: Set<Socket>
  /** Sockets that are being answered, with how many requests: a client may send two at once. */
  readonly asking: Map<Socket, number>
  served: number
}

export interface SocketSharesOptions {
  readonly limits: Pick<
    HttpLimits,
    | 'sockets'
    | 'socketsPerAddress'
    | 'newSocketsPerSecond'
    | 'displacedSocketMs'
    | 'headersTimeoutMs'
  >
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
  /** Shares by network. */
  readonly #shares = new Map<string, Share>()
  readonly #shareOf = new WeakMap<Socket, Share>()
  readonly #served = new WeakSet<Socket>()
  #count = 0
  /** The turn in which those that were served nothing were left unread. */
  #leftUnservedIn = -1

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
    const share = this.#shares.get(network) ?? newShare(network)
    const isBeyondShare = share.sockets.size >= limits.socketsPerAddress && !isProxy(address)
    const isFull = this.#count >= limits.sockets - this.#reservedFor(share)
    if (isBeyondShare ? !this.#displaceSilent(share) : isFull && !this.#makeRoom(share)) {
      socket.destroy()
      return
    }
    this.#shares.set(network, share)
    this.#shareOf.set(socket, share)
    share.sockets.add(socket)
    share.silent.add(socket)
    this.#count += 1
    socket.once('close', () => this.#forget(share, socket))
    // A reset is an error, and neither waits for the close.
    socket.once('end', () => this.#ends(share)).once('error', () => this.#ends(share))
    const unserved = share.sockets.size - share.served
    if (unserved > UNSERVED_AT_ONCE && !isProxy(address)) void this.#hold(network, socket)
  }

  /** Connections that others have to leave free. */
  #reservedFor(newcomers: Share): number {
    const { sockets } = this.#options.limits
    return newcomers.sockets.size < FEW_SOCKETS ? 0 : Math.floor(sockets * RESERVED_SHARE)
  }

  /** Leaves it unread until its time has come. */
  async #hold(network: string, socket: Socket): Promise<void> {
    const gone = new AbortController()
    const abort = () => gone.abort()
    socket.once('close', abort)
    // Node begins to read a new connection on the next tick, and takes no pause before that.
    process.nextTick(() => socket.pause())
    await this.#beginnings.take(network, 1, gone.signal)
    socket.off('close', abort)
    process.nextTick(() => {
      if (!this.#displaced.has(socket)) socket.resume()
    })
  }

  /** Counts it no more. Called again it does nothing. */
  #forget(share: Share, socket: Socket): void {
    const { network, sockets, silent, asking } = share
    if (!sockets.delete(socket)) return
    silent.delete(socket)
    asking.delete(socket)
    if (this.#served.has(socket)) share.served -= 1
    this.#count -= 1
    if (sockets.size === 0) this.#shares.delete(network)
  }

  /** Begins with the address that has the most; who has less than the newcomer's gives nothing. */
  #makeRoom(newcomers: Share): boolean {
    const size = newcomers.sockets.size
    const bySize = [...this.#shares.values()]
      .filter(({ sockets }) => sockets.size >= size)
      .sort((one, other) => other.sockets.size - one.sockets.size)
    return bySize.some(
      (share) =>
        this.#displaceSilent(share) || (share.sockets.size > size + 1 && cutResting(share)),
    )
  }

  /** @returns whether there was such a connection */
  #displaceSilent(share: Share): boolean {
    const [socket] = share.silent
    if (socket === undefined) return false
    this.#forget(share, socket)
    this.#displaced.add(socket)
    return true
  }

  /** They come in bursts as well, and those that were served end like all others. */
  #ends({ network, sockets }: Share): void {
    if (!this.#turns.isOver()) return
    this.#leaveUnserved()
    this.#leave(network, sockets)
  }

  #leaveUnserved(): void {
    if (this.#leftUnservedIn === this.#turns.number) return
    this.#leftUnservedIn = this.#turns.number
    for (const { network, sockets } of this.#shares.values()) {
      this.#leave(
        network,
        sockets.values().filter((socket) => !this.#served.has(socket)),
      )
    }
  }

  /** Reads nothing more of them in this turn; who is unread for another reason stays so. */
  #leave(network: string, sockets: Iterable<Socket>): void {
    for (const socket of sockets) {
      if (socket.isPaused() || socket.destroyed) continue
      socket.pause()
      this.#turns.putOff(network, () => {
        if (!this.#displaced.has(socket)) socket.resume()
      })
    }
  }

  #asked({ socket }: IncomingMessage, response: ServerResponse): void {
    const share = this.#shareOf.get(socket)
    if (!share?.sockets.has(socket)) return
    if (!this.#served.has(socket) && this.#turns.isOver()) this.#leaveUnserved()
    share.silent.delete(socket)
    share.asking.set(socket, (share.asking.get(socket) ?? 0) + 1)
    response.once('close', () => {
      if (!share.sockets.has(socket)) return
      const asking = (share.asking.get(socket) ?? 0) - 1
      if (asking > 0) share.asking.set(socket, asking)
      else share.asking.delete(socket)
      const wasServed = response.statusCode < FIRST_ERROR_STATUS
      if (wasServed && !this.#served.has(socket)) {
        this.#served.add(socket)
        share.served += 1
      }
      if (asking === 0 && !this.#served.has(socket)) share.silent.add(socket)
    })
  }
}

function newShare(network: string): Share {
  return { network, sockets: new Set(), silent: new Set(), asking: new Map(), served: 0 }
}

/** One whose request waits for its time, or one that was served and rests. */
function cutResting({ sockets, asking }: Share): boolean {
  const waiting = asking.keys().find((socket) => isPaused(socket) && !socket.destroyed)
  const rests = (socket: Socket) => !asking.has(socket) && !socket.destroyed
  const chosen = waiting ?? sockets.values().find(rests)
  chosen?.destroy()
  return chosen !== undefined
}
