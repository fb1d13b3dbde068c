/**
 * Shares the connections among remote addresses. When an address has its share, or all are taken,
 * a connection that was served nothing makes room: one that is silent, or whose requests were
 * refused. So a flood of silent connections locks out nobody, not even others behind its address.
 * A connection that was served, or is being answered, is never cut for a newcomer; where all are
 * such, the newcomer has to go.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '@svc/infra/system/network'
import type { HttpLimits } from './limits.ts'

const FIRST_ERROR_STATUS = 400

/** The connections of one remote address. */
interface Share {
  readonly sockets: Set<Socket>
  /** Those that may be cut for a newcomer, the one that has been idle longest first. */
  readonly idle: Set<Socket>
}

export class SocketShares {
  readonly #limits: Pick<HttpLimits, 'sockets' | 'socketsPerAddress'>
  readonly #isProxy: (address: string) => boolean
  /** By network. */
  readonly #shares = new Map<string, Share>()
  readonly #shareOf = new WeakMap<Socket, Share>()
  readonly #served = new WeakSet<Socket>()
  #count = 0

  /** @param isProxy whether many callers stand behind this address, so that it has no share */
  constructor(
    limits: Pick<HttpLimits, 'sockets' | 'socketsPerAddress'>,
    isProxy: (address: string) => boolean,
  ) {
    this.#limits = limits
    this.#isProxy = isProxy
  }

  watch(server: Server): void {
    server.on('connection', (socket) => this.#connected(socket))
    server.on('request', (request, response) => this.#asked(request, response))
  }

  #connected(socket: Socket): void {
    const address = socket.remoteAddress ?? ''
    const network = networkOf(address)
    const share = this.#shares.get(network) ?? { sockets: new Set(), idle: new Set() }
    const isBeyondShare =
      share.sockets.size >= this.#limits.socketsPerAddress && !this.#isProxy(address)
    const isFull = this.#count >= this.#limits.sockets
    if ((isBeyondShare && !cutIdle(share)) || (isFull && !isBeyondShare && !this.#makeRoom())) {
      socket.destroy()
      return
    }
    this.#shares.set(network, share)
    this.#shareOf.set(socket, share)
    share.sockets.add(socket)
    share.idle.add(socket)
    this.#count += 1
    socket.once('close', () => this.#closed(network, share, socket))
  }

  #closed(network: string, { sockets, idle }: Share, socket: Socket): void {
    sockets.delete(socket)
    idle.delete(socket)
    this.#count -= 1
    if (sockets.size === 0) this.#shares.delete(network)
  }

  /** One of the address with the most connections that were served nothing. */
  #makeRoom(): boolean {
    let largest: Share | undefined
    for (const share of this.#shares.values()) {
      if (share.idle.size > (largest?.idle.size ?? 0)) largest = share
    }
    return largest !== undefined && cutIdle(largest)
  }

  #asked({ socket }: IncomingMessage, response: ServerResponse): void {
    const share = this.#shareOf.get(socket)
    if (share === undefined) return
    share.idle.delete(socket)
    response.once('close', () => {
      if (response.statusCode < FIRST_ERROR_STATUS) this.#served.add(socket)
      if (!this.#served.has(socket) && share.sockets.has(socket)) share.idle.add(socket)
    })
  }
}

/** @returns whether there was such a connection */
function cutIdle({ idle }: Share): boolean {
  const [socket] = idle
  if (socket === undefined) return false
  idle.delete(socket)
  socket.destroy()
  return true
}
