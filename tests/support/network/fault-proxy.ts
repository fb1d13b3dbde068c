/**
 * The port that clients connect to. It passes bytes to and from the server behind it, and does to
 * connections what no server can do to itself: it holds, slows, silences and resets them, and loses
 * answers. What is on its way on a slowed connection arrives also after a freeze began.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'
import { ShapedBytes } from './shaped-bytes.ts'

const LOOPBACK = '127.0.0.1'

/** A client that does not end its connection within this time after the server did is cut off. */
const CLOSE_MS = 200

interface Connection {
  readonly client: Socket
  /** Undefined while the connection came in during a freeze and has not been passed on. */
  server: Socket | undefined
  /** Nothing moves on it any more. */
  isSilent: boolean
}

export class FaultProxy {
  readonly port: number
  readonly #listener: Server
  readonly #connections = new Set<Connection>()
  #serverPort: number
  #isFrozen = false
  #delayMs = 0
  #bytesPerSecond = Number.POSITIVE_INFINITY
  #answersToLose = 0

  private constructor(listener: Server, port: number, serverPort: number) {
    this.#listener = listener
    this.port = port
    this.#serverPort = serverPort
    listener.on('connection', (client) => this.#accept(client))
  }

  /**
   * @param port where to listen; 0 is any free one
   * @param host whose connections it takes; a container's come from elsewhere than the loopback
   */
  static async listen(serverPort: number, port = 0, host = LOOPBACK): Promise<FaultProxy> {
    const listener = createServer({ noDelay: true })
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    listener.once('error', reject)
    listener.listen(port, host, resolve)
    await promise
    const address = listener.address()
    const taken = typeof address === 'object' && address !== null ? address.port : port
    return new FaultProxy(listener, taken, serverPort)
  }

  get connectionCount(): number {
    return this.#connections.size
  }

  /** New connections go to another server. */
  forwardTo(serverPort: number): void {
    this.#serverPort = serverPort
  }

  /** As by SIGSTOP: connections stay open, new ones are taken, and nothing moves. */
  freeze(): void {
    if (this.#isFrozen) return
    this.#isFrozen = true
    for (const connection of this.#connections) stopPassing(connection)
  }

  /** As by SIGCONT: what came in meanwhile is passed on. */
  thaw(): void {
    if (!this.#isFrozen) return
    this.#isFrozen = false
    for (const connection of this.#connections) this.#startPassing(connection)
  }

  /**
   * As when the other end is gone without a word: the connections of this moment stay open, and
   * nothing comes through any more, not even the end. New ones are passed.
   */
  fallSilent(): void {
    for (const connection of this.#connections) {
      connection.isSilent = true
      stopPassing(connection)
    }
  }

  /** Delays every chunk of new connections, in both directions. */
  delay(ms: number): void {
    this.#delayMs = ms
  }

  /** New connections pass `bytesPerSecond`, in each direction. */
  throttle(bytesPerSecond: number): void {
    this.#bytesPerSecond = bytesPerSecond
  }

  /** The next answer on any connection does not arrive: the connection is reset instead. */
  loseAnswer(): void {
    this.#answersToLose += 1
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
    const isStuck = this.#isFrozen || [...this.#connections].some(({ isSilent }) => isSilent)
    if (isStuck) this.reset()
    const patience = setTimeout(() => this.reset(), CLOSE_MS)
    await promise
    clearTimeout(patience)
  }

  #accept(client: Socket): void {
    const connection: Connection = { client, server: undefined, isSilent: false }
    this.#connections.add(connection)
    client.on('error', () => {})
    client.on('close', () => {
      this.#connections.delete(connection)
      connection.server?.destroy()
    })
    if (!this.#isFrozen) this.#startPassing(connection)
  }

  #startPassing(connection: Connection): void {
    if (connection.isSilent) return
    const { client } = connection
    const isNew = connection.server === undefined
    const server = connection.server ?? this.#connect(client)
    connection.server = server
    if (isNew) server.on('data', () => this.#loseWhenAsked(connection))
    this.#pass(client, server)
    this.#pass(server, client)
  }

  #pass(from: Socket, to: Socket): void {
    const isShaped = this.#delayMs > 0 || Number.isFinite(this.#bytesPerSecond)
    if (!isShaped) from.pipe(to)
    else from.pipe(new ShapedBytes(this.#delayMs, this.#bytesPerSecond)).pipe(to)
  }

  /** Called before the pipe has the bytes. */
  #loseWhenAsked({ client, server }: Connection): void {
    if (this.#answersToLose === 0) return
    this.#answersToLose -= 1
    server?.unpipe()
    client.resetAndDestroy()
    server?.destroy()
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
  client.unpipe()
  server.unpipe()
  client.pause()
  server.pause()
}
