/**
 * For tests: stands between a Kafka client and a broker, and loses what it is told to lose. With it
 * "the broker has it, the client does not know" is one line of a test and needs no luck.
 *
 * The broker has to advertise the proxy: `advertised.listeners=PLAINTEXT://127.0.0.1:<proxy port>`.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'

/** Requests of this kind carry records. */
export const PRODUCE = 0
export const JOIN_GROUP = 11
export const LEAVE_GROUP = 13
export const SYNC_GROUP = 14

type Fault = 'lose the request' | 'lose the answer' | { readonly holdAnswerMs: number }

export class LossyProxy {
  readonly port: number
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #faults = new Map<number, Fault[]>()
  readonly #counts = new Map<number, number>()
  #target = 0

  private constructor(server: Server, port: number) {
    this.#server = server
    this.port = port
    server.on('connection', (client) => this.#serve(client))
  }

  static async listen(): Promise<LossyProxy> {
    const server = createServer()
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', () => listening()))
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    return new LossyProxy(server, address.port)
  }

  forwardTo(port: number): void {
    this.#target = port
  }

  /** The next request of this kind meets this fault; several calls queue up. */
  next(kind: number, fault: Fault): void {
    this.#faults.set(kind, [...(this.#faults.get(kind) ?? []), fault])
  }

  /** How many requests of this kind have come. */
  count(kind: number): number {
    return this.#counts.get(kind) ?? 0
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((closed) => this.#server.close(closed))
  }

  #serve(client: Socket): void {
    const broker = connect(this.#target, '127.0.0.1')
    const faults = new Map<number, Fault>()
    const end = (): void => {
      client.destroy()
      broker.destroy()
    }
    for (const socket of [client, broker]) {
      this.#sockets.add(socket)
      socket.on('error', end)
      socket.on('close', () => {
        this.#sockets.delete(socket)
        end()
      })
    }
    onFrames(client, (frame) => {
      const kind = frame.readInt16BE(4)
      this.#counts.set(kind, this.count(kind) + 1)
      const fault = this.#faults.get(kind)?.shift()
      if (fault === 'lose the request') return end()
      if (fault !== undefined) faults.set(frame.readInt32BE(8), fault)
      broker.write(frame)
    })
    onFrames(broker, (frame) => {
      const fault = faults.get(frame.readInt32BE(4))
      if (fault === 'lose the answer') return end()
      if (typeof fault === 'object') setTimeout(() => client.write(frame), fault.holdAnswerMs)
      else client.write(frame)
    })
  }
}

/** Each frame with its four bytes of length. */
function onFrames(socket: Socket, take: (frame: Buffer) => void): void {
  let rest: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    while (rest.length >= 4 && rest.length >= 4 + rest.readInt32BE(0)) {
      const end = 4 + rest.readInt32BE(0)
      take(rest.subarray(0, end))
      rest = rest.subarray(end)
    }
  })
}
