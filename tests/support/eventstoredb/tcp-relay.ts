/**
 * The port that clients connect to; it passes bytes to and from the server behind it.
 *
 * What no server can do to itself is done here: all connections reset at once, as when its process
 * is killed, and connections that stay open while nothing moves, not even the answer to a keepalive
 * ping, as when its process is stopped.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'

const LOOPBACK = '127.0.0.1'

/** A client that does not end its connection within this time after the server did is cut off. */
const CLOSE_MS = 200

interface Connection {
  readonly client: Socket
  /** Undefined while the connection came in during a freeze and has not been passed on. */
  server: Socket | undefined
}

export class TcpRelay {
  readonly port: number
  readonly #listener: Server
  readonly #connections = new Set<Connection>()
  readonly #serverPort: number
  #isFrozen = false

  private constructor(listener: Server, port: number, serverPort: number) {
    this.#listener = listener
    this.port = port
    this.#serverPort = serverPort
    listener.on('connection', (client) => this.#accept(client))
  }

  /** @param port where to listen; 0 is any free one */
  static async listen(port: number, serverPort: number): Promise<TcpRelay> {
    const listener = createServer({ noDelay: true })
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    listener.once('error', reject)
    listener.listen(port, LOOPBACK, resolve)
    await promise
    const address = listener.address()
    const taken = typeof address === 'object' && address !== null ? address.port : port
    return new TcpRelay(listener, taken, serverPort)
  }

  get connectionCount(): number {
    return this.#connections.size
  }

  freeze(): void {
    if (this.#isFrozen) return
    this.#isFrozen = true
    for (const connection of this.#connections) stopPassing(connection)
  }

  thaw(): void {
    if (!this.#isFrozen) return
    this.#isFrozen = false
    for (const connection of this.#connections) this.#startPassing(connection)
  }

  /** Resets connections. @param serverSidePort only the one that has this port at the server */
  reset(serverSidePort?: number): void {
    for (const { client, server } of this.#connections) {
      if (serverSidePort !== undefined && server?.localPort !== serverSidePort) continue
      client.resetAndDestroy()
      server?.destroy()
    }
  }

  /** Refuses new connections; the open ones end with the server's, which has to be closed first. */
  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#listener.close(() => resolve())
    if (this.#isFrozen) this.reset()
    const patience = setTimeout(() => this.reset(), CLOSE_MS)
    await promise
    clearTimeout(patience)
  }

  #accept(client: Socket): void {
    const connection: Connection = { client, server: undefined }
    this.#connections.add(connection)
    client.on('error', () => {})
    client.on('close', () => {
      this.#connections.delete(connection)
      connection.server?.destroy()
    })
    if (!this.#isFrozen) this.#startPassing(connection)
  }

  #startPassing(connection: Connection): void {
    const { client } = connection
    const server = connection.server ?? this.#connect(client)
    connection.server = server
    client.pipe(server)
    server.pipe(client)
  }

  #connect(client: Socket): Socket {
    const server = connect({ port: this.#serverPort, host: LOOPBACK, noDelay: true })
    server.on('error', () => client.destroy())
    server.on('close', () => {
      client.end()
      client.resume()
    })
    return server
  }
}

function stopPassing({ client, server }: Connection): void {
  if (server === undefined) return
  client.unpipe(server)
  server.unpipe(client)
  client.pause()
  server.pause()
}
